"""Coverage-guided fuzzing of what a cell may send, by hand: ``python tests/fuzz/wire.py CORPUS -max_total_time=600``.

Needs atheris (``pip install atheris``, in an environment of its own; nothing of the judge needs it). The first byte chooses the
request that is answered; the rest is what the cell says. A crash becomes a case of
tests/sandbox/test_conversation_fuzz.py.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

OPS = ("call", "get", "item", "len", "iter", "next", "prepare", "load")


def try_bytes(data: bytes) -> None:
    """One request of ``data[0]``'s kind that is answered by the rest; raises what nobody expects."""
    from tests.sandbox.conversation import outcome

    if data:
        outcome(data[1:], OPS[data[0] % len(OPS)])


def seeds(folder: Path) -> None:
    """A few good conversations to start from."""
    from tests.sandbox.test_conversation_fuzz import questions, spoken
    from tests.sandbox.test_wire_fuzz import SAMPLE

    folder.mkdir(parents=True, exist_ok=True)
    fault = ["l", "ValueError", "Odd", "text", ["l", ["l", 1, "f"]]]
    said = [SAMPLE, questions("call", 2), questions("next", 2), spoken({"kind": "memory"}, b"")]
    said += [
        spoken({"kind": "raise", "value": fault}, b""),
        spoken({"kind": "refused", "value": ["numpy", "x"]}, b""),
    ]
    said += [
        spoken({"kind": "not-loaded", "value": ["l", "syntax", "f", 3, None]}, b""),
        spoken({"kind": "stop"}, b""),
    ]
    for number, bytes_said in enumerate(said):
        for op in range(len(OPS)):
            (folder / f"seed-{number}-{op}").write_bytes(bytes([op]) + bytes_said)


def main() -> None:
    """Run the fuzzer until it finds something or its time is up."""
    import atheris

    with atheris.instrument_imports(include=["sandbox", "json"]):
        import sandbox.calls
        import sandbox.channel
        import sandbox.messages  # noqa: F401

    seeds(Path(sys.argv[1]))
    atheris.Setup(sys.argv, try_bytes)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
