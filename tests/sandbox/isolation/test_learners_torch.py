"""What an honest submission needs still works in a cell: the allowlist is long enough."""

from __future__ import annotations

import pytest

from sandbox.syscalls import CHECKED, PLAIN
from tests.sandbox.isolation.cells import Submit

_WORKLOADS = {
    "training with Adam": """
        torch.manual_seed(0)
        layer, x = nn.Linear(8, 1), torch.randn(64, 8)
        optimizer, losses = torch.optim.Adam(layer.parameters(), lr=0.1), []
        for _ in range(30):
            optimizer.zero_grad()
            loss = (layer(x) - x.sum(1, keepdim=True)).pow(2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses[-1] < losses[0] / 4
    """,
    "attention": """
        q = torch.randn(1, 4, 16, 8)
        by_hand = (q @ q.mT / 8**0.5).softmax(-1) @ q
        return torch.allclose(F.scaled_dot_product_attention(q, q, q), by_hand, atol=1e-5)
    """,
    "decompositions": """
        a = torch.randn(32, 32, dtype=torch.float64)
        u, s, v = torch.linalg.svd(a)
        spectrum = torch.fft.ifft(torch.fft.fft(a)).real
        return torch.allclose(u @ s.diag() @ v, a) and torch.allclose(spectrum, a)
    """,
    "modules": """
        image = nn.Conv2d(3, 8, 3)(torch.randn(2, 3, 16, 16))
        sequence, _ = nn.LSTM(8, 16)(torch.randn(5, 2, 8))
        block = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)(torch.randn(2, 5, 16))
        return [list(image.shape), list(sequence.shape), list(block.shape)] == [[2, 8, 14, 14], [5, 2, 16], [2, 5, 16]]
    """,
    "small types": """
        half = torch.randn(8, 8).bfloat16()
        return (half @ half).dtype is torch.bfloat16 and (half.to(torch.int8).int() @ torch.eye(8).int()).shape == (8, 8)
    """,
    "functional transforms": """
        gradient = torch.func.vmap(torch.func.grad(lambda row: (row * row).sum()))
        x = torch.randn(3, 4)
        return torch.allclose(gradient(x), 2 * x)
    """,
    "two threads of torch": """
        torch.set_num_threads(2)
        a = torch.randn(512, 512, dtype=torch.float64)
        return torch.allclose(a @ torch.linalg.inv(a), torch.eye(512, dtype=torch.float64), atol=1e-4)
    """,
    "a pool of threads": """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(4) as pool:
            return sum(pool.map(lambda n: int(torch.ones(n).sum()), range(20))) == 190
    """,
    "asyncio": """
        import asyncio
        async def later(n):
            await asyncio.sleep(0.001)
            return n
        async def both():
            return await asyncio.gather(later(1), later(2))
        return asyncio.run(both()) == [1, 2]
    """,
    "a data loader": """
        from torch.utils.data import DataLoader, TensorDataset
        loader = DataLoader(TensorDataset(torch.arange(10)), batch_size=4)
        return [len(batch[0]) for batch in loader] == [4, 4, 2]
    """,
    "source of a library": """
        import inspect
        return "class Linear" in inspect.getsource(nn.Linear)
    """,
    "numpy": "return float(torch.ones(3).numpy().sum()) == 3.0",
    "time and date": """
        import datetime, time
        return abs(datetime.datetime.now().timestamp() - time.time()) < 60
    """,
}


@pytest.mark.boundary  # process has no filter that could be too narrow
@pytest.mark.parametrize("name", _WORKLOADS)
def test_a_cell_can_do(submit: Submit, name: str) -> None:
    head = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n\ndef main():\n"
    lines = _WORKLOADS[name].strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    assert submit(head + "\n".join("    " + line[indent:] for line in lines))() is True


# Seen by strace on x86_64 from a cell's filter on; what the wire and every import need comes first. On other C libraries
# the same work asks for relatives of these (poll for epoll_wait, clone3 for clone), which the list has as well.
_EVERY = "close ioctl lseek mmap newfstatat openat read recvfrom sendmsg write"
_THREADS = "clone exit futex gettid madvise mprotect munmap rseq rt_sigaction rt_sigprocmask set_robust_list"
_NEEDED = {
    "training with Adam": "",
    "attention": "",
    "decompositions": "",
    "modules": "futex mprotect",
    "two threads of torch": "brk clone futex mprotect munmap rseq rt_sigaction rt_sigprocmask sched_yield set_robust_list",
    "a pool of threads": _THREADS,
    "asyncio": "epoll_create1 epoll_ctl epoll_wait getpid getsockname rt_sigaction socketpair",
}


@pytest.mark.parametrize("name", _NEEDED)
def test_the_calls_that_it_needs_are_on_the_list(name: str) -> None:
    assert name in _WORKLOADS
    assert set(f"{_EVERY} {_NEEDED[name]}".split()) <= PLAIN.keys() | CHECKED.keys()
