"""Drawing with numbers alone: boxes, crosses and short texts gathered into one SVG path for each class.

Nothing here takes markup: a template writes paths and texts, escaped, and the style sheet gives the classes their look.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from web.markdown import is_cjk

MARKS = ("p-stroke", "p-under", "p-minus", "p-edge", "p-line", "p-halo", "p-miss", "p-bad")
"""Classes that lie over all others, in this order."""
BEGUN, ENDED = ("t-name", "t-begin"), ("t-end",)
"""Classes of texts that begin or end at their point; all others have it in their middle."""


@dataclass(frozen=True)
class Text:
    """A short text at a point; ``name`` is its class, which also says how it is anchored."""

    x: float
    y: float
    text: str
    name: str


@dataclass
class Canvas:
    """One SVG in the making, in pixels; it grows with what is drawn."""

    label: str
    width: float = 0
    height: float = 0
    paths: dict[str, list[str]] = field(default_factory=dict)
    texts: list[Text] = field(default_factory=list)

    def box(self, name: str, x: float, y: float, width: float, height: float) -> None:
        """A filled or outlined rectangle."""
        self._add(name, f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z", x + width, y + height)

    def cross(self, name: str, x: float, y: float, width: float, height: float) -> None:
        """Two strokes, for what must not be; a halo sets them off from whatever is below."""
        data = f"M{x:g} {y:g}l{width:g} {height:g}m0 {-height:g}l{-width:g} {height:g}"
        for one in ("p-halo", name):
            self._add(one, data, x + width, y + height)

    def slash(self, name: str, x: float, y: float, width: float, height: float) -> None:
        """One stroke, for what is nobody's or unused."""
        self._add(name, f"M{x:g} {y + height:g}l{width:g} {-height:g}", x + width, y + height)

    def dash(self, name: str, x: float, y: float, width: float) -> None:
        """A level stroke, the sign of a negative number."""
        self._add(name, f"M{x:g} {y:g}h{width:g}", x + width, y)

    def ring(self, name: str, x: float, y: float, size: float) -> None:
        """A circle, for what is missing."""
        half = size / 2
        arc = f"a{half:g} {half:g} 0 1 0"
        self._add(name, f"M{x:g} {y + half:g}{arc} {size:g} 0{arc} {-size:g} 0", x + size, y + size)

    def write(self, x: float, y: float, text: object, name: str = "t-mid") -> None:
        """A text whose base line is at ``y``."""
        self.texts.append(Text(x, y, str(text), name))
        right = x + _width(str(text)) * (0 if name in ENDED else 1 if name in BEGUN else 0.5)
        self.width, self.height = max(self.width, right + 1), max(self.height, y + 3)

    @property
    def drawn(self) -> list[tuple[str, str]]:
        """Class and path data: fields in the order in which they first came, marks over them."""
        fields = [name for name in self.paths if name not in MARKS]
        return [(name, "".join(self.paths[name])) for name in (*fields, *MARKS) if name in self.paths]

    def _add(self, name: str, data: str, right: float, bottom: float) -> None:
        self.paths.setdefault(name, []).append(data)
        self.width, self.height = max(self.width, right + 1), max(self.height, bottom + 1)


def _width(text: str) -> float:
    """About how wide a text of 11 pixels is, in pixels; a little more rather than less."""
    return sum(11.0 if is_cjk(char) else 6.5 for char in text)
