"""A registry as a model: what each operation must come to, and the check of a run of operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from judge.grading.author import Wrong, check, wrong
from judge.grading.seeds import Rng

Op = list[Any]  # which registry, what, arguments
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def words(rng: Rng, count: int, length: int = 7) -> list[str]:
    """So many different words, none of them part of another."""
    found: dict[str, None] = {}  # in the order of drawing
    while len(found) < count:
        found["".join(LETTERS[i] for i in rng.integers(0, 26, length).tolist())] = None
    return list(found)


def raised(outcome: Any, kind: str) -> bool:
    """Whether the outcome is an exception of that class."""
    return isinstance(outcome, dict) and kind in outcome.get("raised", ())


def returned(outcome: Any) -> bool:
    """Whether the outcome is a value."""
    return isinstance(outcome, dict) and "value" in outcome


class Model:
    """One registry; each method verifies an outcome and follows what should have happened."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.items: dict[str, str] = {}

    def take(self, op: Op, outcome: Any) -> None:
        """One operation."""
        _, what, *rest = op
        {"register": self.register, "begin": self.begin, "get": self.get, "names": self.names}.get(
            what, self.supported if what == "supported" else self.change_names
        )(outcome, *rest)

    def register(self, outcome: Any, *rest: str) -> None:
        *names, label = rest
        taken = [name for name in names if name in self.items]
        if taken:
            self._taken(outcome, taken[0])
            for name in names[: names.index(taken[0])]:
                self.items[name] = label
            return
        if raised(outcome, "TypeError") or outcome.get("value") is False:
            wrong("register-returns-another", field="register", got=outcome.get("value"))
        check.that(returned(outcome), mistake="register-fails", field="register", got=outcome.get("text"))
        self.items |= dict.fromkeys(names, label)

    def begin(self, outcome: Any, name: str) -> None:
        if name in self.items:
            if returned(outcome):
                wrong("duplicate-late", field="register")
            self._taken(outcome, name)
            return
        check.that(returned(outcome), mistake="register-fails", field="register", got=outcome.get("text"))

    def _taken(self, outcome: Any, name: str) -> None:
        check.that(not returned(outcome), mistake="duplicate-accepted", field="register")
        check.that(
            raised(outcome, "KeyError"),
            mistake="duplicate-error",
            field="register",
            got=outcome.get("raised"),
        )

    def get(self, outcome: Any, name: str) -> None:
        if name not in self.items:
            check.that(not returned(outcome), mistake="unknown-returned", field="registry[name]")
            check.that(
                raised(outcome, "KeyError"),
                mistake="unknown-error",
                field="registry[name]",
                got=outcome.get("raised"),
            )
            self._words(outcome, name)
            return
        check.that(
            returned(outcome), mistake="known-missing", field="registry[name]", got=outcome.get("text")
        )
        check.equal(outcome["value"], self.items[name], field="registry[name]", mistake="another-object")

    def names(self, outcome: Any) -> None:
        want = list(self.items)
        check.that(
            returned(outcome), mistake="names-values", field="supported_names", got=outcome.get("text")
        )
        known = {"names-sorted": lambda: sorted(want), "names-reversed": lambda: want[::-1]}
        check.equal(outcome["value"], want, field="supported_names", mistake="names-values", known=known)

    def change_names(self, outcome: Any, _: str) -> None:
        check.that(
            returned(outcome), mistake="names-not-a-list", field="supported_names", got=outcome.get("text")
        )

    def supported(self, outcome: Any, name: str) -> None:
        if name in self.items:
            check.that(
                returned(outcome),
                mistake="supported-refused",
                field="assert_supported",
                got=outcome.get("text"),
            )
            return
        check.that(not returned(outcome), mistake="unsupported-accepted", field="assert_supported")
        kind = raised(outcome, "ArgumentTypeError")
        check.that(kind, mistake="unsupported-error", field="assert_supported", got=outcome.get("raised"))
        self._words(outcome, name)

    def _words(self, outcome: Any, name: str) -> None:
        """The text of an error names the kind, the wrong name and all choices."""
        text = outcome["text"]
        check.that(self.kind in text, mistake="text-kind", field="text", got=text)
        check.that(name in text, mistake="text-name", field="text", got=text)
        check.that(all(one in text for one in self.items), mistake="text-choices", field="text", got=text)


def run(submission: Any, kinds: Sequence[str], ops: Sequence[Op], because: str = "") -> None:
    """Plays ``ops`` on registries of ``kinds`` and verifies every outcome, the first that is wrong first."""
    models = [Model(kind) for kind in kinds]
    *outcomes, calls = submission.harness.play(list(kinds), [list(op) for op in ops])
    check.equal(len(outcomes), len(ops), field="outcomes", mistake="register-fails")
    for op, outcome in zip(ops, outcomes, strict=True):
        try:
            models[op[0]].take(op, outcome)
        except Wrong:
            if because:
                wrong(because, field=str(op[1]))
            raise
    check.equal(calls, 0, field="calls", mistake="item-called")


def verify_choice(submission: Any, names: Sequence[str], text: str, allow_auto: bool, mistake: str) -> None:
    """``validate_backend`` returns ``text`` where it is valid, else raises with the unknown part in its words."""
    outcome = submission.harness.validate(list(names), text, allow_auto)
    unknown = next((part for part in text.split(",", 1) if part not in names), None)
    if unknown is None or (allow_auto and text == "auto"):
        check.that(returned(outcome), mistake=mistake, field="validate_backend", got=outcome.get("text"))
        check.equal(outcome["value"], text, field="validate_backend", mistake="validate-value")
        return
    check.that(not returned(outcome), mistake=mistake, field="validate_backend", got=outcome.get("value"))
    kind = raised(outcome, "ArgumentTypeError")
    check.that(kind, mistake="validate-error", field="validate_backend", got=outcome.get("raised"))
    check.that(unknown in outcome["text"], mistake="validate-text", field="text", got=outcome["text"])
