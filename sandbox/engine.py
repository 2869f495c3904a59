"""How the container engine is reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandbox.backend import Reason

if TYPE_CHECKING:
    from docker import DockerClient


def connect(timeout_s: int = 30) -> tuple[DockerClient | None, Reason]:
    """A client of the engine that DOCKER_HOST or the default socket names, or why there is none."""
    try:
        import docker
        from docker.errors import DockerException
    except ImportError:
        return None, Reason(
            "the docker package is not installed; run `make serve` once",
            "没有安装 docker 包；请先运行一次 `make serve`",
        )
    try:
        client = docker.from_env(timeout=timeout_s)
        client.ping()
    except (DockerException, OSError):
        return None, Reason(
            "no container engine answers; start Docker, or add yourself to the group docker",
            "没有容器引擎应答；请启动 Docker，或把当前用户加入 docker 组",
        )
    return client, Reason()
