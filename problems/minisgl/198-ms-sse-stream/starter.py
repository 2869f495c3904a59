"""#198 ms-sse-stream OpenAI 兼容的流式响应（SSE） / An OpenAI-compatible event stream"""

from collections.abc import Iterable, Iterator


def chat_stream(
    req_id: str,
    model: str,
    created: int,
    deltas: Iterable[str],
    finish_reason: str,
    usage: dict[str, int] | None = None,
) -> Iterator[str]:
    """一个流式回答的全部事件，来一段文本就发一条。
    The events of one streamed answer, each as soon as its text is there.
    """
    raise NotImplementedError


def parse_stream(chunks: Iterable[bytes]) -> tuple[str, str | None, dict[str, int] | None]:
    """把任意切分的字节块读成 (text, finish_reason, usage)。
    Reads chunks of bytes, cut anywhere, into (text, finish_reason, usage).
    """
    raise NotImplementedError
