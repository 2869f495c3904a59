"""One tensor-parallel rank of test_tensor_parallel: python -m ... RANK SIZE FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
import torch.distributed as dist
from minisgl.core import SamplingParams
from minisgl.distributed import TPInfo, set_tp_info
from minisgl.llm import LLM
from minisgl.models import ModelConfig, create_model, load_weights
from minisgl.scheduler import SchedulerConfig

from tests.reference.small_engine import build_engine, identity_page_table, new_batch, new_req


def logits(config: ModelConfig, weights: dict[str, torch.Tensor]) -> torch.Tensor:
    """[2, V] of a prefill of two requests."""
    engine = build_engine(config, rows=2)
    identity_page_table(engine, 2)
    with torch.device("meta"):
        model = create_model(config)
    load_weights(model, config, weights.items())
    batch = new_batch(engine, [new_req(range(5), 0), new_req(range(20, 23), 1)])
    with torch.inference_mode(), engine.context.forward_batch(batch):
        out = model.forward()
    engine.shutdown()
    return out


def generated(config: ModelConfig, weights: dict[str, torch.Tensor], tp: TPInfo) -> list[list[list[int]]]:
    """Greedy and sampled tokens of three prompts, in chunks and with overlap."""
    options = SchedulerConfig(config, tp, page_size=2, num_pages=30, max_extend_tokens=5)
    prompts = [[1, 2, 3, 4], [1, 2, 3, 4, 5, 6, 7, 8], [40]]
    with LLM(options, weights.items()) as llm:
        return [llm.generate(prompts, SamplingParams(t, max_tokens=6)) for t in (0.0, 1.0)]


def main(rank: int, size: int, folder: Path) -> None:
    """Writes logits-RANK.pt with the logits and how often the ranks talked, and tokens-RANK.pt."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=size)
    set_tp_info(rank, size)
    counts = {"all_reduce": 0, "all_gather": 0}

    def counting(name: str) -> None:
        real = getattr(dist, name)

        def counted(*args: object) -> object:
            counts[name] += 1
            return real(*args)

        setattr(dist, name, counted)

    counting("all_reduce")
    counting("all_gather")
    models = torch.load(folder / "models.pt", weights_only=False)
    torch.save(([logits(*model) for model in models], counts), folder / f"logits-{rank}.pt")
    tokens = [generated(*model, TPInfo(rank, size)) for model in models]
    torch.save(tokens, folder / f"tokens-{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
