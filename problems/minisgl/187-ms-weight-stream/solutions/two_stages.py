"""Two generators, one behind the other; slots are lists with holes, experts are written into place."""

import torch

ORDER = {"q_proj": 0, "k_proj": 1, "v_proj": 2, "gate_proj": 0, "up_proj": 1}


def merged(items):
    holes = {}
    for name, value in items:
        head, layer, kind = ("." + name).rsplit(".", 2)
        if layer not in ORDER:
            yield name, value
            continue
        whole = "qkv_proj" if layer in ("q_proj", "k_proj", "v_proj") else "gate_up_proj"
        key = f"{head}.{whole}.{kind}"[1:]
        slots = holes.setdefault(key, [None] * (3 if whole == "qkv_proj" else 2))
        slots[ORDER[layer]] = value
        if all(slot is not None for slot in slots):
            yield key, torch.cat(holes.pop(key))
    if holes:
        raise ValueError(f"parts are missing: {sorted(holes)}")


def packed(items, num_experts):
    begun = {}
    for name, value in items:
        words = name.split(".")
        if "experts" not in words[:-2]:
            yield name, value
            continue
        place = words.index("experts") + 1
        expert = int(words.pop(place))
        if words[-1] == "weight":
            words.pop()
        key = ".".join(words)
        if key not in begun:
            begun[key] = [value.new_empty(num_experts, *value.shape), set()]
        begun[key][0][expert] = value
        begun[key][1].add(expert)
        if len(begun[key][1]) == num_experts:
            yield key, begun.pop(key)[0]
    if begun:
        raise ValueError(f"experts are missing: {sorted(begun)}")


def load_weights(items, num_experts=0):
    stream = merged(items)
    return packed(stream, num_experts) if num_experts else stream
