"""From a prepared batch to its next tokens."""

from minisgl.engine.config import EngineConfig
from minisgl.engine.engine import Engine, ForwardOutput
from minisgl.engine.graph import GraphRunner, determine_graph_bs
from minisgl.engine.sample import BatchSamplingArgs, Sampler, sample_tokens

__all__ = [
    "BatchSamplingArgs",
    "Engine",
    "EngineConfig",
    "ForwardOutput",
    "GraphRunner",
    "Sampler",
    "determine_graph_bs",
    "sample_tokens",
]
