"""Which file system a path lies on, and whether SQLite's write-ahead log may be trusted to it."""

from __future__ import annotations

import re
from pathlib import Path

MOUNTINFO = Path("/proc/self/mountinfo")
# The log's index is memory shared between processes: machines that share such a folder each see their own.
_KINDS = """
9p acfs afs beegfs ceph cifs coda davfs glusterfs gpfs lustre ncpfs nfs nfs4 ocfs2 orangefs pvfs2 smb2 smb3 smbfs
fuse.afpfs fuse.ceph fuse.ceph-fuse fuse.curlftpfs fuse.davfs fuse.davfs2 fuse.gcsfuse fuse.glusterfs
fuse.gvfsd-fuse fuse.juicefs fuse.mfs fuse.moosefs fuse.rclone fuse.s3fs fuse.seaweedfs fuse.smbnetfs fuse.sshfs
"""
NETWORK = frozenset(_KINDS.split())


def filesystem(path: Path) -> str:
    """The type of the file system that ``path`` is on, or will be once it is made; empty where nothing tells."""
    try:
        mounts = MOUNTINFO.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:  # no such file outside Linux
        return ""
    place = path.resolve()
    found, depth = "", -1
    for mount in mounts:
        fields = mount.split(" ")
        if "-" not in fields[6:-1]:
            continue
        point = Path(_unescaped(fields[4]))
        if len(point.parts) >= depth and place.is_relative_to(point):  # a later mount hides an earlier one
            found, depth = fields[fields.index("-", 6) + 1], len(point.parts)
    return found


def is_network(kind: str) -> bool:
    """True for file systems that other machines may write at the same time."""
    return kind.lower() in NETWORK


def _unescaped(text: str) -> str:
    """A field of mountinfo with its blanks back: they are written as three octal digits."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
