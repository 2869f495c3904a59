"""Collecting and loading each recurse on their own; loading plans its assignments first."""

import torch


def dotted(prefix, name):
    return ".".join(filter(None, (prefix, name)))


class BaseOP:
    def state_dict(self, prefix=""):
        found = {}
        for name, member in self.__dict__.items():
            if name[0] == "_":
                continue
            if isinstance(member, torch.Tensor):
                found[dotted(prefix, name)] = member
            elif isinstance(member, BaseOP):
                found.update(member.state_dict(dotted(prefix, name)))
        return found

    def load_state_dict(self, state_dict):
        rest, plan = dict(state_dict), []
        self.take(rest, "", plan)
        if rest:
            raise KeyError("unknown: " + ", ".join(rest))
        for owner, name, value in plan:
            owner.__dict__[name] = value

    def take(self, rest, prefix, plan):
        """Moves this tree's tensors from rest to plan."""
        for name, member in self.__dict__.items():
            if name[0] == "_":
                continue
            full = dotted(prefix, name)
            if isinstance(member, torch.Tensor):
                if full not in rest:
                    raise KeyError(full)
                value = rest.pop(full)
                if value.shape != member.shape or value.dtype != member.dtype:
                    raise ValueError(f"{full} does not fit")
                plan.append((self, name, value))
            elif isinstance(member, BaseOP):
                member.take(rest, full, plan)


class OPList(BaseOP):
    """Keeps its operations as attributes called 0, 1, 2, ..."""

    def __init__(self, ops):
        for place, op in enumerate(ops):
            self.__dict__[str(place)] = op

    def __iter__(self):
        return iter(tuple(self.__dict__.values()))

    def __len__(self):
        return len(self.__dict__)
