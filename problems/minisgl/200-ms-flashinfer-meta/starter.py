"""#200 ms-flashinfer-meta FlashInfer 的分页元数据 / Paged metadata for FlashInfer"""

import torch

Request = tuple[int, int, int]  # (table_idx, cached_len, device_len)


def flashinfer_metadata(
    padded_reqs: list[Request], page_table: torch.Tensor, page_size: int
) -> dict[str, torch.Tensor]:
    """FlashInfer 的 plan 要的 CSR 元数据。
    The CSR metadata that FlashInfer's plan takes.

    page_table: int32 [rows, width]，token 槽位 / token slots

    返回 / Returns (bs = len(padded_reqs)), int32:
        "qo_indptr":        [bs + 1]，CPU
        "kv_indptr":        [bs + 1]，CPU，按页 / in pages
        "kv_indices":       [kv_indptr[-1]]，与 page_table 同设备，页号 / on page_table's device, page numbers
        "kv_last_page_len": [bs]，CPU，1 .. page_size
    """
    raise NotImplementedError


def paged_attention_from_meta(
    q: torch.Tensor,
    k_cache: torch.Tensor,
    v_cache: torch.Tensor,
    meta: dict[str, torch.Tensor],
    page_size: int,
) -> torch.Tensor:
    """只凭元数据算因果注意力。
    Causal attention from the metadata alone.

    q: [N, H, d]；k_cache, v_cache: [num_pages, page_size, H_kv, d]。返回 / Returns: [N, H, d]，dtype 同 q / in q's dtype.
    """
    raise NotImplementedError
