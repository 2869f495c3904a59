"""#501 mx-decode-fast-path decode 的批量快路径 / A fast path for decode"""

import torch


def decode_attention(
    q: torch.Tensor,
    k_pool: torch.Tensor,
    v_pool: torch.Tensor,
    page_table: torch.Tensor,
    seq_lens: torch.Tensor,
) -> torch.Tensor:
    """每个请求一个 query 的注意力，没有按请求的循环，也不把值读回 Python。
    Attention with one query a request, without a loop over requests and without reading values back.

    q: [bs, H, d].
    k_pool, v_pool: [slots, H_kv, d]，H % H_kv == 0.
    page_table: int32/int64 [bs, width]，第 i 行只有前 seq_lens[i] 格有意义 / only the first seq_lens[i] cells of row i count.
    seq_lens: int32 [bs]，1 <= seq_lens[i] <= width.
    返回 / Returns: [bs, H, d]，与 q 相同的 dtype / of q's dtype.
    """
    raise NotImplementedError
