# 16: returns a tensor subclass that would compute, or agree, inside the checker
# ends as: RE
# shows: returning a Lazy
# shows: "bad": "subclass"
import torch


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return True


def weighted(rows, weigh):
    print("returning a Lazy")
    return torch.Tensor._make_subclass(Lazy, rows)
