"""The building blocks of a decoder, each with the shard of its weights that this rank holds."""

from minisgl.layers.activation import SiluAndMul
from minisgl.layers.attention import AttentionLayer
from minisgl.layers.base import BaseOP, OPList
from minisgl.layers.embedding import ParallelLMHead, VocabParallelEmbedding, vocab_shard
from minisgl.layers.linear import LinearColParallelMerged, LinearQKVMerged, LinearRowParallel
from minisgl.layers.norm import RMSNorm, RMSNormFused
from minisgl.layers.rotary import RotaryEmbedding

__all__ = [
    "AttentionLayer",
    "BaseOP",
    "LinearColParallelMerged",
    "LinearQKVMerged",
    "LinearRowParallel",
    "OPList",
    "ParallelLMHead",
    "RMSNorm",
    "RMSNormFused",
    "RotaryEmbedding",
    "SiluAndMul",
    "VocabParallelEmbedding",
    "vocab_shard",
]
