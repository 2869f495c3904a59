"""Plays captures and replays on your hooks. A "graph" is what prepare_for_capture returned: it is read again later."""

from __future__ import annotations

from typing import Any

import solution
import torch

NAMES = ("cu_seqlens_q", "cache_seqlens", "page_table")


def replay(runs: list[list[dict[str, Any]]]) -> list[list[Any]]:
    """Every run on hooks of its own: what was raised, and what the graph of this size sees afterwards."""
    return [_replay(run) for run in runs]


def _replay(run: list[dict[str, Any]]) -> list[Any]:
    hooks, graphs, results = solution.GraphHooks(), {}, []
    for step in run:
        expected = RuntimeError if step["op"] == "init" else ValueError
        try:
            results.append(["", _take(hooks, graphs, step)])
        except expected:
            results.append([expected.__name__, None])
    return results


def _take(hooks: Any, graphs: dict[int, Any], step: dict[str, Any]) -> Any:
    if step["op"] == "init":
        return hooks.init_capture_graph(step["max_seq_len"], list(step["sizes"]))
    if step["op"] == "capture":
        graphs[step["bs"]] = hooks.prepare_for_capture(step["bs"])
        return _seen(graphs[step["bs"]])
    lens = torch.tensor(step["lens"], dtype=torch.int32)
    table = torch.tensor(step["table"], dtype=torch.int32).view(len(lens), -1)
    cu = torch.arange(len(lens) + 1, dtype=torch.int32) * step["queries"]
    meta = {"cu_seqlens_q": cu, "cache_seqlens": lens, "page_table": table, "max_seqlen_q": step["queries"]}
    told = hooks.prepare_for_replay(meta)
    for tensor in (cu, lens, table):
        tensor.fill_(-7)  # the next batch is prepared while the graph runs
    return [told, _seen(graphs[len(step["lens"])])]


def _seen(meta: Any) -> list[Any]:
    found = [meta[name] for name in NAMES]
    told = [[str(x.dtype), x.tolist()] if isinstance(x, torch.Tensor) else x for x in found]
    return [*told, meta["max_seqlen_q"]]
