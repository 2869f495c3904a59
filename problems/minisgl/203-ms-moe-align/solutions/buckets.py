"""One list for each expert; then all blocks in one batched product, with a row of zeros for the padding."""

import torch


def moe_align_block_size(topk_ids, block_m, num_experts):
    buckets = [[] for _ in range(num_experts)]
    pairs = topk_ids.flatten().tolist()
    for pair, expert in enumerate(pairs):
        if expert >= 0:
            buckets[expert].append(pair)
    sorted_ids, expert_ids = [], []
    for expert, bucket in enumerate(buckets):
        bucket += [len(pairs)] * (-len(bucket) % block_m)
        sorted_ids += bucket
        expert_ids += [expert] * (len(bucket) // block_m)
    return torch.tensor(sorted_ids, dtype=torch.int32), torch.tensor(expert_ids, dtype=torch.int32)


def fused_moe_grouped(x, w, topk_ids, topk_weights, block_m):
    tokens, k = topk_ids.shape
    sorted_ids, expert_ids = moe_align_block_size(topk_ids, block_m, w.shape[0])
    rows = torch.div(sorted_ids, k, rounding_mode="floor").long()  # padding becomes row T
    weights = torch.cat([topk_weights.flatten(), torch.zeros(1)])[sorted_ids.long()]
    padded = torch.cat([x, torch.zeros(1, x.shape[1], dtype=x.dtype)])
    blocks = padded[rows].view(-1, block_m, x.shape[1])
    y = torch.bmm(blocks, w[expert_ids.long()].transpose(1, 2)).flatten(0, 1)
    out = torch.zeros(tokens + 1, w.shape[1], dtype=torch.float64)
    out.index_add_(0, rows, y.double() * weights.double().unsqueeze(1))
    return out[:tokens].to(x.dtype)
