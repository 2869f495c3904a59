"""#506 mx-auto-backend 自动选择注意力后端 / Choosing an attention backend"""

import torch


def pick_backend(capability: tuple[int, int] | None, dtype: torch.dtype) -> str:
    """auto 在这张卡（compute capability）或 CPU（None）上选哪个后端。
    What "auto" means for a GPU of this compute capability, or for the CPU (None).
    """
    raise NotImplementedError


def resolve_backend(backend: str, capability: tuple[int, int] | None, dtype: torch.dtype) -> str:
    """用户写的 --attn 最后要创建哪个后端或哪一对；不认识的名字抛 ValueError。
    The backend or pair to create for what the user wrote after --attn; ValueError for unknown names.
    """
    raise NotImplementedError
