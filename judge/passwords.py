"""Passwords and one-time codes: how they are made, stored and compared."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import unicodedata

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from judge.lines import UserError

SHORTEST, LONGEST = 8, 128
ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # no 0 and O, no 1 and I
GROUPS, GROUP_LENGTH = 3, 4  # 60 bits
# OWASP's setting for argon2id. A class logs in within a minute, so few are hashed at once: each takes 19 MiB.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 << 10, parallelism=1)
_AT_ONCE = threading.BoundedSemaphore(4)
_NOBODY = _HASHER.hash("nobody")  # compared with where there is no such user, so that both take the same time


class WeakPassword(UserError):
    """A password that may not be chosen."""


def hash_password(password: str, name: str) -> str:
    """The stored form of a new password; WeakPassword for one too short, too long, or like the user's name."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise WeakPassword("password-length", shortest=SHORTEST, longest=LONGEST)
    if password.casefold() == name.casefold() or len(set(password)) < 3:
        raise WeakPassword("password-weak")
    with _AT_ONCE:
        return _HASHER.hash(_normal(password))


def is_password(stored: str | None, password: str) -> bool:
    """Whether ``password`` is the one stored; takes as long where none is."""
    with _AT_ONCE:
        try:
            return _HASHER.verify(stored or _NOBODY, _normal(password[:LONGEST])) and stored is not None
        except (VerifyMismatchError, InvalidHashError):
            return False


def new_code() -> str:
    """A one-time code to hand out, such as ``K7QF-3MXR-9TWD``."""
    letters = [secrets.choice(ALPHABET) for _ in range(GROUPS * GROUP_LENGTH)]
    return "-".join("".join(letters[at : at + GROUP_LENGTH]) for at in range(0, len(letters), GROUP_LENGTH))


def hash_secret(secret: str) -> str:
    """The stored form of a secret that we drew ourselves: too long to guess, so a fast hash will do."""
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()


def hash_code(code: str) -> str:
    """The stored form of a one-time code, however it was typed: small letters, spaces, no hyphens."""
    return hash_secret("".join(c for c in _normal(code).upper() if c.isalnum()))


def is_code(stored: str | None, code: str) -> bool:
    """Whether ``code`` is the one stored."""
    return stored is not None and hmac.compare_digest(stored, hash_code(code[:LONGEST]))


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text.encode(errors="replace").decode())
