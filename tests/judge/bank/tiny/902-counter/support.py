from dataclasses import dataclass


@dataclass
class Item:
    values: list
