"""#509 mx-fa-metadata FlashAttention 的页号表 / Page numbers for FlashAttention"""

import torch

Request = tuple[int, int, int]  # (table_idx, cached_len, device_len)


def fa_metadata(
    padded_reqs: list[Request], page_table: torch.Tensor, page_size: int
) -> dict[str, torch.Tensor | int]:
    """FlashAttention 分页变长接口要的元数据。
    What FlashAttention's paged varlen call takes.

    page_table: int32 [rows, width]，token 槽位 / token slots.

    返回 / Returns (bs = len(padded_reqs)):
        "cu_seqlens_q":  int32 [bs + 1]
        "cu_seqlens_k":  int32 [bs + 1]
        "cache_seqlens": int32 [bs]
        "max_seqlen_q":  int
        "max_seqlen_k":  int
        "page_table":    int32 [bs, ceil(max_seqlen_k / page_size)]，页号 / page numbers
    """
    raise NotImplementedError
