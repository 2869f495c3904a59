"""Names and items side by side, a decorator class, and a membership test of its own."""

from __future__ import annotations

import argparse


class Registry:
    def __init__(self, kind):
        self.kind, self.names, self.items = kind, [], []

    def register(self, name):
        if self.names.count(name):
            raise KeyError(name)
        return _Filing(self, name)

    def __getitem__(self, name):
        try:
            return self.items[self.names.index(name)]
        except ValueError:
            raise KeyError(self.complaint(name)) from None

    def supported_names(self):
        return self.names.copy()

    def assert_supported(self, name):
        if name not in self.names:
            raise argparse.ArgumentTypeError(self.complaint(name))

    def complaint(self, name):
        return f"no {self.kind} is called {name}, only {self.names}"


class _Filing:
    def __init__(self, registry, name):
        self.registry, self.name = registry, name

    def __call__(self, item):
        self.registry.names.append(self.name)
        self.registry.items.append(item)
        return item


def validate_backend(registry, text, allow_auto):
    first, comma, second = text.partition(",")
    wanted = [first, second] if comma else [first]
    known = registry.supported_names() + (["auto"] if allow_auto and not comma else [])
    for name in wanted:
        if name not in known:
            raise argparse.ArgumentTypeError(f"{name} is none of {known}")
    return text
