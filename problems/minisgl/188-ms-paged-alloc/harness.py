"""Plays operations on your allocator and tells what came of each; the comparison is made elsewhere."""

from __future__ import annotations

from typing import Any

import solution
import torch


class Stopped(Exception):
    """What ends a lazy region early."""


def replay(config: dict[str, int], runs: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Every run on an allocator of its own: an answer and a copy of the page table for each step."""
    return [_replay(config, run) for run in runs]


def _replay(config: dict[str, int], run: list[dict[str, Any]]) -> dict[str, Any]:
    table = torch.full((config["rows"], config["width"]), -1, dtype=torch.int32)
    allocator = solution.PageAllocator(config["num_pages"], config["page_size"], table)
    regions: list[Any] = []
    answers, tables = [], []
    for step in run:
        raised, value = "", None
        try:
            value = _take(allocator, table, regions, step)
        except MemoryError:
            raised = "MemoryError"
        answers.append([raised, value, allocator.available_size])
        tables.append(table.clone())
    return {"answers": answers, "tables": torch.stack(tables)}


def _take(allocator: Any, table: torch.Tensor, regions: list[Any], step: dict[str, Any]) -> Any:
    match step["op"]:
        case "allocate":
            return allocator.allocate_paged([tuple(req) for req in step["reqs"]])
        case "out_loc":
            found = allocator.out_loc([tuple(req) for req in step["reqs"]])
            return [str(found.dtype), found.tolist()] if isinstance(found, torch.Tensor) else found
        case "free":
            cells = table[step["row"], step["start"] : step["end"]]
            result = allocator.free(cells)
            cells.fill_(-1)  # the engine clears the row at once
            return result
        case "enter":
            regions.append(allocator.lazy_free())
            regions[-1].__enter__()
        case "leave":
            return bool(regions.pop().__exit__(None, None, None))
        case "leave_by_error":
            error = Stopped()
            return bool(regions.pop().__exit__(Stopped, error, None))
    return None


def fill(config: dict[str, int], reqs: list[list[int]]) -> torch.Tensor:
    """The page table after one large allocation."""
    table = torch.full((config["rows"], config["width"]), -1, dtype=torch.int32)
    allocator = solution.PageAllocator(config["num_pages"], config["page_size"], table)
    allocator.allocate_paged([tuple(req) for req in reqs])
    return table


def out_loc_then_overwrite(
    config: dict[str, int], reqs: list[list[int]], asked: list[list[int]], number: int
) -> Any:
    """The slots of ``asked``, as they are after the table was filled with ``number``."""
    table = torch.full((config["rows"], config["width"]), -1, dtype=torch.int32)
    allocator = solution.PageAllocator(config["num_pages"], config["page_size"], table)
    allocator.allocate_paged([tuple(req) for req in reqs])
    found = allocator.out_loc([tuple(req) for req in asked])
    table.fill_(number)
    return found


def allocate_and_show(config: dict[str, int], reqs: list[Any]) -> list[Any]:
    """The page table and the list of requests as they are after an allocation."""
    table = torch.full((config["rows"], config["width"]), -1, dtype=torch.int32)
    solution.PageAllocator(config["num_pages"], config["page_size"], table).allocate_paged(reqs)
    return [table, reqs]
