"""Which backend a name or a machine gets."""

from __future__ import annotations

from argparse import ArgumentTypeError

import pytest
import torch
from minisgl import attention
from minisgl.attention import (
    SUPPORTED_ATTENTION_BACKENDS,
    BaseAttnBackend,
    HybridBackend,
    auto_attn_backend,
    create_attention_backend,
    resolve_attn_backend,
    validate_attn_backend,
)
from minisgl.attention.torch_backend import TorchAttnBackend
from minisgl.core import Batch
from minisgl.models import ModelConfig
from minisgl.utils import Registry

from tests.reference.small_engine import CPU, build_engine


class Spy(BaseAttnBackend):
    """Remembers which of its methods were called."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.calls: list[str] = []

    def forward(
        self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, layer_id: int, batch: Batch
    ) -> torch.Tensor:
        self.calls.append("forward")
        return q

    def prepare_metadata(self, batch: Batch) -> None:
        self.calls.append("prepare_metadata")

    def init_capture_graph(self, max_seq_len: int, bs_list: list[int]) -> None:
        self.calls.append("init_capture_graph")

    def prepare_for_capture(self, batch: Batch) -> None:
        self.calls.append("prepare_for_capture")

    def prepare_for_replay(self, batch: Batch) -> None:
        self.calls.append("prepare_for_replay")


def test_the_phase_picks_the_half_of_a_hybrid_and_graphs_are_decode() -> None:
    prefill, decode = Spy(), Spy()
    hybrid = HybridBackend(prefill, decode)
    x = torch.empty(0)
    hybrid.prepare_metadata(Batch([], "prefill"))
    hybrid.forward(x, x, x, 0, Batch([], "prefill"))
    assert (prefill.calls, decode.calls) == (["prepare_metadata", "forward"], [])
    hybrid.prepare_metadata(Batch([], "decode"))
    hybrid.forward(x, x, x, 0, Batch([], "decode"))
    hybrid.init_capture_graph(8, [1])
    hybrid.prepare_for_capture(Batch([], "prefill"))  # even then: only decode is captured
    hybrid.prepare_for_replay(Batch([], "prefill"))
    assert prefill.calls == ["prepare_metadata", "forward"]
    assert decode.calls == [
        "prepare_metadata",
        "forward",
        "init_capture_graph",
        "prepare_for_capture",
        "prepare_for_replay",
    ]


@pytest.fixture
def config() -> ModelConfig:
    """Qwen3's, with an engine's context in place."""
    return build_engine(rows=1).config


@pytest.fixture
def two_spies(config: ModelConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Backends named p and d in the place of the real ones."""
    spies: Registry[object] = Registry("attention backend")
    spies.register("p")(lambda config: Spy("p"))
    spies.register("d")(lambda config: Spy("d"))
    monkeypatch.setattr(attention, "SUPPORTED_ATTENTION_BACKENDS", spies)


@pytest.mark.usefixtures("two_spies")
def test_a_pair_of_names_is_prefill_then_decode(config: ModelConfig) -> None:
    backend = create_attention_backend("p,d", config)
    assert isinstance(backend, HybridBackend)
    prefill, decode = backend.prefill_backend, backend.decode_backend
    assert isinstance(prefill, Spy) and isinstance(decode, Spy)
    assert (prefill.name, decode.name) == ("p", "d")


@pytest.mark.usefixtures("two_spies")
def test_equal_halves_are_one_backend(config: ModelConfig) -> None:
    assert isinstance(create_attention_backend("d,d", config), Spy)


@pytest.mark.parametrize("name", ["torch", "torch,torch"])
def test_torch_is_created_by_name(name: str, config: ModelConfig) -> None:
    assert type(create_attention_backend(name, config)) is TorchAttnBackend


@pytest.mark.parametrize("name", ["fa,fi", "fi", "fa", "torch,fi"])
def test_gpu_backends_say_what_to_install(name: str, config: ModelConfig) -> None:
    with pytest.raises(ImportError, match=r"pip install sgl-kernel.*pip install flashinfer-python.*'torch'"):
        create_attention_backend(name, config)


@pytest.mark.parametrize("name", ["flash", "", "torch,", ",torch", "torch,fi,fa", "torch, fi", "Torch"])
def test_unknown_names_list_the_supported_ones(name: str, config: ModelConfig) -> None:
    with pytest.raises(ArgumentTypeError, match=r"unknown attention backend .*supported: torch, fa, fi"):
        validate_attn_backend(name)
    with pytest.raises(ArgumentTypeError):
        create_attention_backend(name, config)


def test_auto_is_a_name_only_where_it_is_allowed(config: ModelConfig) -> None:
    assert validate_attn_backend("auto") == "auto"
    with pytest.raises(ArgumentTypeError, match="'auto'"):
        validate_attn_backend("auto", allow_auto=False)
    with pytest.raises(ArgumentTypeError):
        create_attention_backend("auto", config)
    with pytest.raises(ArgumentTypeError):
        validate_attn_backend("auto,fi")


def test_a_name_is_registered_once() -> None:
    with pytest.raises(KeyError, match="torch"):
        SUPPORTED_ATTENTION_BACKENDS.register("torch")
    with pytest.raises(KeyError, match="supported: torch, fa, fi"):
        SUPPORTED_ATTENTION_BACKENDS["trtllm"]
    assert SUPPORTED_ATTENTION_BACKENDS.supported_names() == ["torch", "fa", "fi"]


@pytest.mark.parametrize(
    ("capability", "dtype", "want"),
    [
        (None, torch.bfloat16, "torch"),
        (None, torch.float32, "torch"),
        ((9, 0), torch.bfloat16, "fa,fi"),
        ((9, 0), torch.float16, "fa,fi"),
        ((9, 0), torch.float32, "torch"),
        ((8, 0), torch.bfloat16, "fi"),
        ((8, 9), torch.float32, "torch"),
        ((10, 0), torch.float16, "fi"),
        ((8, 0), torch.float64, "torch"),
    ],
)
def test_auto_goes_by_device_and_dtype(
    capability: tuple[int, int] | None, dtype: torch.dtype, want: str
) -> None:
    assert auto_attn_backend(capability, dtype) == want


def test_auto_asks_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve_attn_backend("auto", CPU, torch.bfloat16) == "torch"
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (9, 0))
    assert resolve_attn_backend("auto", torch.device("cuda:0"), torch.bfloat16) == "fa,fi"


def test_float32_falls_back_to_torch_even_when_kernels_were_named() -> None:
    gpu = torch.device("cuda:0")
    assert resolve_attn_backend("fa,fi", gpu, torch.float32) == "torch"
    assert resolve_attn_backend("torch,fi", gpu, torch.float32) == "torch"
    assert resolve_attn_backend("fa,fi", gpu, torch.bfloat16) == "fa,fi"
    with pytest.raises(ArgumentTypeError):
        resolve_attn_backend("flash", gpu, torch.float32)
