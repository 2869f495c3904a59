# expects: text-name
"""The error does not say what was asked for."""

from argparse import ArgumentTypeError


class Registry:
    def __init__(self, kind):
        self.kind = kind
        self.items = {}

    def register(self, name):
        if name in self.items:
            raise KeyError(f"{self.kind} {name} is registered already")

        def file(item):
            self.items[name] = item
            return item

        return file

    def __getitem__(self, name):
        if name not in self.items:
            raise KeyError(self.unknown(name))
        return self.items[name]

    def supported_names(self):
        return list(self.items)

    def assert_supported(self, name):
        if name not in self.items:
            raise ArgumentTypeError(self.unknown(name))

    def unknown(self, name):
        return f"unknown {self.kind}; supported: {list(self.items)}"


def validate_backend(registry, text, allow_auto):
    if allow_auto and text == "auto":
        return text
    for name in text.split(",", 1):
        registry.assert_supported(name)
    return text
