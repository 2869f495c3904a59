"""What a submission raised, described for the wire while its own class may be hostile."""

from __future__ import annotations

import builtins
import dis
from types import TracebackType

from .caps import MAX_FRAMES, MAX_MESSAGE_BYTES, MAX_NAME
from .encode import issubclass_exactly
from .tensors import is_out_of_memory
from .values import Node, clean, type_module, type_name

_BUILTINS = {cls: name for name, cls in vars(builtins).items() if isinstance(cls, type)}
_NO_THREAD = "can't start new thread"  # of memory for its stack, or of what the container may have
_RAISE = dis.opmap["RAISE_VARARGS"]


def describe(error: BaseException, filename: str) -> Node:
    """``[builtin, name, message, [[line, function], ...]]``: nearest builtin class, own name, the file's own lines."""
    cls = type(error)
    nearest = next(base for base in type.__dict__["__mro__"].__get__(cls) if base in _BUILTINS)
    return [_BUILTINS[nearest], type_name(cls), _message(error), _frames(_traceback(error), filename)]


def out_of_memory(error: BaseException, filename: str) -> bool:
    """Whether memory, or the threads that take it, ran out, as against a submission's own ``raise MemoryError(...)``."""
    cls = type(error)
    if cls is RuntimeError and _lacks_thread(error):
        return not _raised_by_statement(_traceback(error), filename)
    if issubclass_exactly(cls, (MemoryError,)):
        return type_module(cls).startswith("numpy") or not _raised_by_statement(_traceback(error), filename)
    return type_module(cls) in ("builtins", "torch") and _guarded_oom(error)


def _lacks_thread(error: BaseException) -> bool:
    args = error.args
    return len(args) == 1 and type(args[0]) is str and args[0] == _NO_THREAD


def _guarded_oom(error: BaseException) -> bool:
    try:
        return is_out_of_memory(error)
    except BaseException:  # an argument of the error has a hostile __str__
        return False


def _message(error: BaseException) -> str:
    try:
        text = str.__getitem__(str(error), slice(0, MAX_MESSAGE_BYTES))
        return clean(text).encode("utf-8")[:MAX_MESSAGE_BYTES].decode("utf-8", "ignore")
    except BaseException as inner:  # whatever its __str__ raised
        return f"<__str__ raised {type_name(type(inner))}>"


def _traceback(error: BaseException) -> TracebackType | None:
    found: TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    return found


def _frames(traceback: TracebackType | None, filename: str) -> Node:
    found: list[Node] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == filename and traceback.tb_lineno:
            found.append([traceback.tb_lineno, clean(code.co_name)[:MAX_NAME]])
        if len(found) > MAX_FRAMES:  # of a deep recursion keep the first half and the last
            del found[MAX_FRAMES // 2]
        traceback = traceback.tb_next
    return found


def _raised_by_statement(traceback: TracebackType | None, filename: str) -> bool:
    """Whether the innermost frame is the file's and stands at a ``raise`` with an operand."""
    if traceback is None:
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    code, at = traceback.tb_frame.f_code, traceback.tb_lasti
    return code.co_filename == filename and code.co_code[at] == _RAISE and code.co_code[at + 1] > 0
