"""Backend ``docker``: zygotes in containers without network, capabilities or a writable byte."""

from __future__ import annotations

import contextlib
import shutil
import socket
import tempfile
import threading
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandbox.backend import Backend, Reason, Settings, Zygote, await_hello, zygote_environment
from sandbox.contract import Protections, SandboxFault
from sandbox.engine import connect
from sandbox.image.version import image_tag
from sandbox.owner import has_ended, own_identity
from sandbox.unix_address import unix_address

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

_LABEL = "minisgl-judge.owner"
_USER = 65534
_PIDS = 160  # a cell's threads (child.py ends it at 128) and the zygote's own
_FOLDER_INSIDE = "/run/judge"
_FOLDER_PREFIX, _OWNER = "judge-zygotes-", "owner"


class DockerBackend(Backend):
    """Starts zygotes as containers of this version's image; never pulls or builds it."""

    name = "docker"

    def __init__(self, settings: Settings, memory_mib: int) -> None:
        self._settings = settings
        self._memory_mib = memory_mib
        self._engine: DockerClient | None = None
        self._lock = threading.Lock()
        self._folder: Path | None = None

    def available(self) -> Reason:
        """Asks for an engine, and for the image."""
        self._engine, reason = connect()
        if self._engine is None:
            return reason
        if self._engine.api.base_url != "http+docker://localhost":  # a folder of ours could not be mounted
            return Reason(
                "the engine is on another machine; it must be local",
                "容器引擎在另一台机器上；必须使用本机引擎",
            )
        return self._image_missing(self._engine)

    def _image_missing(self, engine: DockerClient) -> Reason:
        from docker.errors import APIError, ImageNotFound

        try:
            engine.images.get(self._image())
        except PackageNotFoundError as error:
            return Reason(
                f"{error.name} is not installed; run `make serve` once",
                f"没有安装 {error.name}；请先运行一次 `make serve`",
            )
        except (ImageNotFound, APIError):
            return Reason(
                f"the image {self._image()} is missing; build it with `make image`",
                f"缺少镜像 {self._image()}；请运行 `make image` 构建",
            )
        return Reason()

    def _image(self) -> str:
        return self._settings.image or image_tag()

    def protections(self, facts: dict[str, Any]) -> Protections:
        """See Backend."""
        abi = facts["landlock_abi"]
        return {
            "boundary": f"container ({self._settings.runtime or 'default runtime'})",
            "network": "none",
            "files": "read-only container",
            "landlock": f"abi {abi}" if abi else "none",
            "seccomp": "allowlist",
            "processes": "none",
            "user": f"uid {facts['uid']}",
            "memory": f"cgroup {self._memory_mib} MiB and address space",
        }

    def start(self) -> Zygote:
        """See Backend."""
        engine = self._ready_engine()
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        folder.chmod(0o755)  # the zygote's uid must pass; the folder around it is ours alone
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            with unix_address(folder / "control") as address:
                listener.bind(address)
            (folder / "control").chmod(0o666)
            listener.listen(1)
            container = self._run(engine, folder)

            def end() -> None:
                _remove(container)
                shutil.rmtree(folder, ignore_errors=True)

            try:
                control = self._accept(listener, container)
                (folder / "control").unlink()
            except (SandboxFault, OSError):
                end()
                raise
        try:
            facts = await_hello(control, self._settings.start_limit_s, lambda: _how_ended(container))
        except (SandboxFault, OSError):
            end()
            control.close()
            raise
        return Zygote(control, facts, end, name=f"container {container.short_id}")

    def close(self) -> None:
        """See Backend."""
        with self._lock:
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)
            if self._engine is not None:
                self._engine.close()
            self._folder = self._engine = None

    def _ready_engine(self) -> DockerClient:
        with self._lock:
            if self._engine is None:
                self._engine, reason = connect()
                if self._engine is None:
                    raise SandboxFault(str(reason))
            if self._folder is None:
                around = Path(self._settings.run_folder or tempfile.gettempdir())
                _remove_stale(self._engine, around)
                self._folder = Path(tempfile.mkdtemp(prefix=_FOLDER_PREFIX, dir=around))
                (self._folder / _OWNER).write_text(own_identity(), "ascii")
            return self._engine

    def _accept(self, listener: socket.socket, container: Container) -> socket.socket:
        """The zygote's one connection: nobody else can reach the folder, and the listener closes after it."""
        listener.settimeout(self._settings.start_limit_s)
        try:
            control, _ = listener.accept()
        except TimeoutError:
            raise SandboxFault(f"a container did not report: {_how_ended(container)}") from None
        control.setblocking(True)
        return control

    def _run(self, engine: DockerClient, folder: Path) -> Container:
        from docker.errors import DockerException
        from docker.types import LogConfig, Mount

        try:
            container = engine.containers.create(  # not run(), which would pull a missing image
                self._image(),
                [f"{_FOLDER_INSIDE}/control", str(self._settings.max_landlock_abi)],
                auto_remove=True,
                network_mode="none",
                ipc_mode="none",
                read_only=True,
                cap_drop=["ALL"],
                security_opt=["no-new-privileges"],
                user=f"{_USER}:{_USER}",
                pids_limit=_PIDS,
                mem_limit=f"{self._memory_mib}m",
                memswap_limit=f"{self._memory_mib}m",
                nano_cpus=10**9,  # one submission takes one core, whatever it starts
                log_config=LogConfig(type="none"),
                tmpfs={"/dev/mqueue": "ro"},  # a new IPC namespace leaves the mounted queues in place
                mounts=[Mount(_FOLDER_INSIDE, str(folder), type="bind", read_only=True)],
                environment=zygote_environment({"TORCHINDUCTOR_CACHE_DIR": "/opt/judge/cell"}),
                labels={_LABEL: own_identity()},
                runtime=self._settings.runtime or None,
                working_dir="/",
                hostname="cell",
            )
        except (DockerException, OSError) as error:
            raise SandboxFault(f"the engine made no container: {error}") from error
        try:
            container.start()
        except (DockerException, OSError) as error:
            _remove(container)
            raise SandboxFault(f"the engine started no container: {error}") from error
        return container


def _remove(container: Container) -> None:
    from docker.errors import DockerException

    with contextlib.suppress(DockerException, OSError):  # it may be gone already, or the engine is
        container.remove(force=True)


def _how_ended(container: Container) -> str:
    from docker.errors import DockerException

    try:
        container.reload()
    except (DockerException, OSError):
        return "its container ended"
    return f"container {container.status}"


def _remove_stale(engine: DockerClient, around: Path) -> None:
    """Remove containers and folders whose owner has ended without a word; never those of a living one."""
    from docker.errors import DockerException

    with contextlib.suppress(DockerException, OSError):
        for container in engine.containers.list(all=True, filters={"label": _LABEL}, ignore_removed=True):
            if has_ended(container.labels.get(_LABEL, "")):
                _remove(container)
    for owner in around.glob(f"{_FOLDER_PREFIX}*/{_OWNER}"):
        with contextlib.suppress(OSError):  # another user's, or just removed
            if has_ended(owner.read_text("ascii")):
                shutil.rmtree(owner.parent)
