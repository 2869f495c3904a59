# 56: markup and terminal escapes in output, names, messages and values
# ends as: RE
# shows: <script>alert\(1\)</script>
# shows: "kind": "raised"
TEXT = "<script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}\x1b]0;owned\x07\x1b[2J\x1b[31m\u202e\u2066\x00\x9b31m"


def weighted(rows, weigh):
    print(TEXT)
    if len(rows) > 3:
        return {TEXT: TEXT, "first": TEXT, "kept": [TEXT], "second": TEXT.encode(), "after": "\ud800"}
    raise type(TEXT.replace("\0", ""), (ValueError,), {})(TEXT)
