# 46: changes owner, mode and times of files through links and descriptors
# ends as: WA
# shows: owner of \S+: refused
# shows: attribute of \S+: refused
import os

from support import PROJECT, attempt

for path in ("/etc/passwd", "/tmp", os.__file__, os.path.join(PROJECT, "sandbox", "cell", "zygote.py")):
    attempt(f"owner of {path}", lambda path=path: os.chown(path, os.getuid(), os.getgid()))
    attempt(f"link's owner of {path}", lambda path=path: os.lchown(path, 0, 0))
    attempt(f"mode of {path}", lambda path=path: os.chmod(path, 0o4777))
    attempt(f"times of {path}", lambda path=path: os.utime(path, (0, 0)))
    attempt(f"attribute of {path}", lambda path=path: os.setxattr(path, "user.attack", b"x"))
    attempt(f"length of {path}", lambda path=path: os.truncate(path, 0))
attempt("mode of a descriptor", lambda: os.fchmod(os.open(os.__file__, os.O_RDONLY), 0o777))
attempt("owner of a descriptor", lambda: os.fchown(os.open(os.__file__, os.O_RDONLY), 0, 0))
attempt("another user", lambda: os.setuid(0 if os.getuid() else 65534))


def weighted(rows, weigh):
    return rows
