"""Handles and callbacks: objects stay where they are, and both sides see calls in their true order."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from sandbox.contract import BadValue, CellDied, LearnerError, Limits
from sandbox.proxy import Handle, facts
from sandbox.session import Session

Submit = Callable[..., Any]
Open = Callable[..., Session]

THINGS = """
    import enum, functools
    class Thing:
        size = 3
        def __init__(self, n=0):
            self.n = n
            self._hidden = 1
        def add(self, x):
            self.n += x
            return self.n
        def __len__(self): return self.size
        def __getitem__(self, key): return (key, self.n)
        def __iter__(self): return iter([self.n, self])
        def __call__(self, x, *, y): return x - y
    class Words(list): pass
    class Colour(enum.Enum):
        RED = 1
    def make(n=0): return Thing(n)
    def same(a, b): return a is b
    def read(thing): return thing.n
    def pick(what):
        return {
            "generator": (x for x in "ab"), "map": map(str, [1]), "function": make, "class": Thing, "list": Words(),
            "method": Thing().add, "partial": functools.partial(make, 4), "enum": Colour.RED, "iter": iter([1]),
            "module": enum, "builtin": len, "coroutine": wait(),
        }[what]
    async def wait(): pass
    def forever():
        while True: yield 1
"""


def things(submit: Submit) -> Any:
    return submit(THINGS, "Thing", "make", "same", "read", "pick", "forever")


def test_an_object_of_the_learner_is_held_and_used(submit: Submit) -> None:
    submission = things(submit)
    thing = submission.make(5)
    assert isinstance(thing, Handle) and repr(thing) == "<Thing in the cell>"
    assert (thing.n, thing.add(2), thing.n, len(thing), thing["k"], thing(5, y=3)) == (
        5,
        7,
        7,
        3,
        ("k", 7),
        2,
    )
    assert submission.Thing(1).n == 1
    assert submission.read(thing) == 7
    number, again = thing
    assert number == 7 and submission.same(thing, again) is True


def test_a_handle_has_no_equality_hash_or_truth(submit: Submit) -> None:
    thing = things(submit).make()
    for use in (
        lambda: thing == thing,
        lambda: thing != 1,
        lambda: hash(thing),
        lambda: bool(thing),
        lambda: {thing},
    ):
        with pytest.raises(TypeError):
            use()
    with pytest.raises(AttributeError):
        _ = thing._hidden


@pytest.mark.parametrize(
    "what", ["generator", "map", "function", "class", "method", "partial", "enum", "iter"]
)
def test_what_stays_in_the_cell_is_a_handle(submit: Submit, what: str) -> None:
    assert isinstance(things(submit).pick(what), Handle)


@pytest.mark.parametrize(
    ("what", "kind"), [("list", "subclass"), ("module", "type"), ("builtin", "type"), ("coroutine", "type")]
)
@pytest.mark.filterwarnings("ignore")
def test_what_neither_crosses_nor_stays_is_a_bad_value(submit: Submit, what: str, kind: str) -> None:
    with pytest.raises(BadValue) as caught:
        things(submit).pick(what)
    assert caught.value.kind == kind


def test_hostile_lengths_and_iterators_are_errors(submit: Submit) -> None:
    source = """
        class Thing:
            def __len__(self): return self.length
            def __iter__(self): return [1, 2, 3]
        def make(length):
            thing = Thing()
            thing.length = length
            return thing
    """
    submission = submit(source, "make")
    for length, expected in [(-1, ValueError), ("x", TypeError), (10**30, OverflowError)]:
        with pytest.raises(expected):
            len(submission.make(length))
    with pytest.raises(TypeError):
        iter(submission.make(1)).__next__()


def test_an_endless_iteration_ends(submit: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.proxy.MAX_ITERATION", 50)
    with pytest.raises(BadValue) as caught:
        list(things(submit).forever())
    assert caught.value.kind == "too-big"


def test_too_many_handles_are_refused_and_dropped_ones_are_free(submit: Submit) -> None:
    submission = submit("class T: pass\ndef many(n): return [T() for _ in range(n)]", "many")
    with pytest.raises(BadValue):
        submission.many(10_001)
    for _ in range(3):
        assert len(submission.many(4000)) == 4000


def test_a_handle_dies_with_its_cell(open_session: Open) -> None:
    session = open_session(
        "import os\nclass T: x = 1\ndef make(): return T()\ndef die(): os._exit(3)", "make", "die"
    )
    thing = session.begin_case().make()
    with pytest.raises(CellDied):
        session.begin_case().die()
    session.end_case()
    session.begin_case()
    with pytest.raises(TypeError):
        _ = thing.x


def test_a_handle_of_a_cell_that_is_gone_drops_nothing_of_the_next(open_session: Open) -> None:
    session = open_session(
        "import os\nclass T: x = 1\ndef make(): return T()\ndef die(): os._exit(3)", "make", "die"
    )
    old = session.begin_case().make()
    with pytest.raises(CellDied):
        session.begin_case().die()
    session.end_case()
    submission = session.begin_case()
    new = submission.make()
    del old
    assert (submission.make().x, new.x) == (1, 1)


def test_callbacks_are_called_in_order_and_lazily(submit: Submit) -> None:
    source = """
        def each(f, items):
            for item in items:
                yield f(item, twice=2 * item)
        def drain(items): return list(items)
        def back(f): return f
    """
    submission = submit(source, "each", "drain", "back")
    log: list[Any] = []

    def items() -> Iterator[int]:
        for number in range(3):
            log.append(("item", number))
            yield number

    def spy(item: int, *, twice: int) -> int:
        log.append(("call", item, twice))
        return twice + 1

    steps = iter(submission.each(spy, items()))
    assert log == []
    assert next(steps) == 1 and log == [("item", 0), ("call", 0, 0)]
    assert list(steps) == [3, 5] and log[-1] == ("call", 2, 4)
    assert submission.drain(iter([torch.ones(2)]))[0].tolist() == [1, 1]
    assert submission.back(spy) is spy


def test_a_callback_sees_tensors_with_facts(submit: Submit) -> None:
    seen: list[torch.Tensor] = []
    submit("def f(spy, x):\n    spy(x.t())\n    spy({'a': x})", "f").f(
        lambda value: seen.append(value), torch.zeros(2, 3)
    )
    found = facts(seen[0])
    assert found is not None and (found.stride, found.aliases) == ((1, 3), ("argument 2",))


def test_a_builtin_exception_of_a_callback_reaches_the_submission(submit: Submit) -> None:
    submission = submit(
        "def f(g):\n    try: g()\n    except KeyError as e: return e.args\ndef h(g): g()", "f", "h"
    )

    def fails() -> None:
        raise KeyError("missing")

    assert submission.f(fails) == ("'missing'",)
    with pytest.raises(KeyError):
        submission.h(fails)


def test_a_case_of_its_own_exception_passes_the_submission_by(submit: Submit) -> None:
    class Wrong(Exception):
        pass

    def judge(value: int) -> None:
        raise Wrong(value)

    submission = submit(
        "def f(g):\n    try: g(1)\n    except BaseException: pass\n    g(2)\n    return 3", "f"
    )
    with pytest.raises(Exception) as caught:
        submission.f(judge)
    assert type(caught.value) is Wrong and caught.value.args == (1,)
    with pytest.raises(AssertionError):
        submission.f(lambda _value: pytest.approx(1) == 2 or (_ for _ in ()).throw(AssertionError()))


def test_calls_and_callbacks_nest_only_so_deep(submit: Submit) -> None:
    submission = submit("def f(g, n): return g(n) if n else 0", "f")

    def deeper(left: int) -> Any:
        return 1 + submission.f(deeper, left - 1)

    assert submission.f(deeper, 3) == 3
    with pytest.raises(RuntimeError):
        submission.f(deeper, 5)
    assert submission.f(deeper, 2) == 2


def test_callbacks_are_counted(submit: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    submission = submit("def f(g):\n    while True: g()", "f", limits=Limits(time_limit_s=60))
    monkeypatch.setattr("sandbox.calls.MAX_CALLBACKS", 100)
    with pytest.raises(CellDied):
        submission.f(lambda: None)


def test_a_callback_cannot_be_kept_for_the_next_case(open_session: Open) -> None:
    session = open_session(
        "kept = []\ndef keep(g): kept.append(g)\ndef use(): return kept[0]()", "keep", "use"
    )
    session.begin_case().keep(lambda: 1)
    session.end_case()
    with pytest.raises(RuntimeError, match="earlier case"):
        session.begin_case().use()


def test_what_a_callback_cannot_take_is_a_type_error_in_the_submission(submit: Submit) -> None:
    submission = submit("def f(g):\n    try: g({1, 2})\n    except TypeError as e: return str(e)", "f")
    assert "set" in submission.f(lambda _x: None)


def test_a_callback_in_another_thread_is_refused(submit: Submit) -> None:
    source = """
        import threading
        def f(g):
            errors = []
            def run():
                try: g()
                except RuntimeError as e: errors.append(str(e))
            thread = threading.Thread(target=run)
            thread.start(); thread.join()
            return errors
    """
    assert "thread" in submit(source, "f").f(lambda: 1)[0]


@dataclasses.dataclass
class Item:
    value: Any
    more: Any = None


SUPPORT = """
    from dataclasses import dataclass
    from typing import Any
    @dataclass
    class Item:
        value: Any
        more: Any = None
    class Cache:
        def __init__(self): self.seen = []
"""


def test_dataclasses_of_support_cross_both_ways(submit: Submit) -> None:
    module = types.ModuleType("support")
    module.Item = Item  # type: ignore[attr-defined]
    Item.__module__ = "support"
    source = "from support import *\ndef f(item): return Item(item, isinstance(item, Item))\ndef cache(): return Cache()"
    submission = submit(source, "f", "cache", support=SUPPORT, support_module=module)
    assert submission.f(Item(3, [Item(4)])) == Item(Item(3, [Item(4)]), True)
    assert submission.cache().seen == []


def test_only_entry_points_are_attributes(submit: Submit) -> None:
    submission = submit("def f(): pass\ndef g(): pass", "f")
    with pytest.raises(AttributeError):
        _ = submission.g
    with pytest.raises(LearnerError):
        submit("def f(): raise StopIteration", "f").f()
