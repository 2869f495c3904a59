"""#196 ms-message-serde 进程间消息的序列化 / Messages between processes"""

from typing import Any


def serialize(obj: Any) -> Any:
    """把消息变成只由基本类型组成的值。
    Turns a message into plain values alone.
    """
    raise NotImplementedError


def deserialize(cls_map: dict[str, type], data: Any) -> Any:
    """serialize 的逆；cls_map 是类名到类的表。
    The inverse of serialize; cls_map leads from a class's name to the class.
    """
    raise NotImplementedError
