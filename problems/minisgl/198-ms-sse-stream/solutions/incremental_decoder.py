"""Another way: an incremental UTF-8 decoder and a small class that is fed text; events are dicts built by hand."""

import codecs
import json


def chat_stream(req_id, model, created, deltas, finish_reason, usage=None):
    def packed(choices, extra=None):
        body = dict(id=req_id, object="chat.completion.chunk", created=created, model=model, choices=choices)
        body.update(extra or {})
        return "data:" + " " + json.dumps(body, ensure_ascii=False, separators=(",", ":")) + "\n" * 2

    def said(reason=None, **delta):
        return packed([dict(finish_reason=reason, delta=delta, index=0)])

    yield said(role="assistant", content="")
    yield from (said(content=piece) for piece in deltas if piece != "")
    yield said(finish_reason)
    if usage is not None:
        yield packed([], {"usage": usage})
    yield "data: [DONE]\n\n"


class Reader:
    def __init__(self):
        self.decode = codecs.getincrementaldecoder("utf-8")().decode
        self.line, self.fields = [], []
        self.text, self.reason, self.usage, self.done = "", None, None, False

    def feed(self, chunk):
        first, *others = self.decode(chunk).split("\n")
        self.line.append(first)
        for other in others:
            self.end_of_line("".join(self.line))
            self.line = [other]
            if self.done:
                return

    def end_of_line(self, line):
        if line.endswith("\r"):
            line = line[:-1]
        name, _, value = line.partition(":")
        if line == "":
            if self.fields:
                self.take("\n".join(self.fields))
            self.fields = []
        elif name == "data":
            self.fields.append(value[1:] if value[:1] == " " else value)

    def take(self, data):
        if data == "[DONE]":
            self.done = True
            return
        body = json.loads(data)
        for one in body["choices"]:
            self.text += one["delta"].get("content") or ""
            if one.get("finish_reason") is not None:
                self.reason = one["finish_reason"]
        if body.get("usage") is not None:
            self.usage = body["usage"]


def parse_stream(chunks):
    reader = Reader()
    for chunk in chunks:
        reader.feed(chunk)
        if reader.done:
            break
    return reader.text, reader.reason, reader.usage
