"""#504 mx-backend-registry 后端注册表 / A registry of backends"""

from argparse import ArgumentTypeError  # noqa: F401


class Registry:
    """名字到对象的注册表 / Objects by name. kind: 错误信息里的词 / the word in messages."""

    def __init__(self, kind: str) -> None:
        raise NotImplementedError

    def register(self, name: str):
        """返回一个装饰器；名字已被占用则 KeyError / Returns a decorator; KeyError if the name is taken."""

    def __getitem__(self, name: str):
        """注册的对象；没有则 KeyError / What was registered; KeyError if there is none."""

    def supported_names(self) -> list[str]:
        """全部名字，按注册的先后 / All names in the order of registration."""

    def assert_supported(self, name: str) -> None:
        """没有这个名字则 ArgumentTypeError / ArgumentTypeError where there is no such name."""


def validate_backend(registry: Registry, text: str, allow_auto: bool) -> str:
    """检查 "auto"、一个名字、或 "prefill,decode"，合法则原样返回。
    Checks "auto", a name, or "prefill,decode"; returns it as it is, or raises ArgumentTypeError.
    """
    raise NotImplementedError
