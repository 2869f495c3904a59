# 2: copies the expected tensor out of this process's memory
# ends as: WA
# shows: looked at [0-9]+ objects, tensors of that shape: 0
import gc

import torch


def weighted(rows, weigh):
    gc.unfreeze()
    objects = gc.get_objects()
    found = [
        one for one in objects if type(one) is torch.Tensor and one.shape == rows.shape and one is not rows
    ]
    print(f"looked at {len(objects)} objects, tensors of that shape: {len(found)}")
    return found[0].clone() if found else torch.zeros_like(rows)
