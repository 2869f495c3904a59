"""A table of sentences with placeholders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Words:
    """Sentences by section and key."""

    def __init__(self, sections: Mapping[str, Mapping[str, str]]) -> None:
        self._sections = sections

    def has(self, section: str, key: str) -> bool:
        """Whether there is such a sentence."""
        return key in self._sections[section]

    def say(self, section: str, key: str, /, **values: object) -> str:
        """The sentence with its placeholders filled; KeyError when there is none."""
        return self._sections[section][key].format(**values)

    def join(self, sentences: Iterable[str]) -> str:
        """Sentences one after the other, as the language sets them."""
        return self._sections["judgement"]["separator"].join(one for one in sentences if one)

    def sections(self) -> Mapping[str, Mapping[str, str]]:
        """Everything, for a test that compares languages."""
        return self._sections
