"""What may cross the wire in one message, in either direction, and the two errors that say it may not."""

from __future__ import annotations

MAX_DATA_BYTES = 64 << 20  # tensors, long text and bytes together
MAX_JSON_BYTES = 16 << 20
MAX_JSON_NODES = 1_000_000  # bounds what parsing a small hostile text may allocate
MAX_ITEMS = 100_000  # values, counted at every level
MAX_DEPTH = 16  # containers within containers
MAX_TENSORS = 256
MAX_DIMS = 64
MAX_INT_BITS = 3322  # enough for 1,000 decimal digits; the exact limit is MAX_INT
MAX_INT = 10**1000
MAX_NUMEL_BYTES = 1 << 62  # torch's own arithmetic on shapes overflows above
MAX_NAME = 100  # characters of a type's or function's name
MAX_CALL_DEPTH = 4  # a call whose callback calls again, and so on
MAX_CALLBACKS = 20_000  # questions a cell may ask within one call
MAX_HANDLES = 10_000  # objects a cell keeps for the grader at one time
MAX_MESSAGE_BYTES = 2048  # of an exception
MAX_FRAMES = 20  # of a traceback
MAX_SOURCE_BYTES = 128 << 10


class WireError(Exception):
    """Received bytes break the protocol; the text says how, for our own logs. The cell that sent them must end."""


class Refused(Exception):
    """A value that must not be sent. ``kind`` is a stable key, ``type_name`` the offending type's name.

    Kinds: "type", "numpy", "subclass", "key" (of a dict), "int" (over 1,000 digits), "cyclic", "too-deep", "too-big",
    and of tensors "sparse", "quantised", "nested", "device", "dtype", "wrapped" (held by vmap or grad).
    """

    def __init__(self, kind: str, type_name: str = "") -> None:
        super().__init__(kind, type_name)
        self.kind = kind
        self.type_name = type_name
