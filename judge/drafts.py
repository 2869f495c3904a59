"""The code that a learner is writing, kept for each problem; a writer who did not see the latest version is told."""

from __future__ import annotations

from sqlalchemy import func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from judge.db import Database
from judge.lines import UserError
from judge.models import Draft, Submission, now
from sandbox.cell.caps import MAX_SOURCE_BYTES


class DraftTooLarge(UserError):
    """The draft is larger than a submission may be."""


class DraftChanged(Exception):
    """Another browser stored a draft in between; ``draft`` is what is stored now, None where there is none."""

    def __init__(self, draft: Draft | None) -> None:
        super().__init__()
        self.draft = draft


def find_draft(session: Session, user_id: int, slug: str) -> Draft | None:
    """A learner's draft of a problem."""
    return session.get(Draft, (user_id, slug))


def save_draft(database: Database, user_id: int, slug: str, source: str, based_on: int | None) -> Draft:
    """Store a draft that was written on top of version ``based_on`` (0: of none; None: whatever is stored).

    Raises:
        DraftChanged: the stored version is another, and its source too.
        DraftTooLarge: ``source`` is over the limit of a submission.
    """
    content = source.encode(errors="surrogatepass")
    if len(content) > MAX_SOURCE_BYTES:
        raise DraftTooLarge("draft-too-large", limit_kib=MAX_SOURCE_BYTES >> 10)
    try:
        with database.write() as session:
            return _store(session, user_id, slug, content, based_on)
    except IntegrityError:  # another writer stored the first one at this moment
        with database.write() as session:
            return _store(session, user_id, slug, content, based_on)


def own_code(session: Session, user_id: int) -> dict[str, bytes]:
    """A user's latest source by slug: the draft, or the newest submission where there is none."""
    newest = select(func.max(Submission.id)).where(Submission.user_id == user_id).group_by(Submission.slug)
    sent = select(Submission.slug, Submission.source).where(Submission.id.in_(newest))
    found = {slug: source for slug, source in session.execute(sent)}
    return found | {draft.slug: draft.source for draft in _drafts(session, user_id)}


def text_of(draft: Draft) -> str:
    """A draft's source as it was written."""
    return draft.source.decode(errors="surrogatepass")


def hand_over(session: Session, giver_id: int, taker_id: int) -> None:
    """Give one user's drafts to another; where both have one the newer stays."""
    theirs = {draft.slug: draft for draft in _drafts(session, taker_id)}
    for draft in _drafts(session, giver_id):
        other = theirs.get(draft.slug)
        if other is not None and other.updated_at < draft.updated_at:
            other.source, other.version, other.updated_at = draft.source, other.version + 1, draft.updated_at
        if other is not None:
            session.delete(draft)
    session.flush()
    session.execute(update(Draft).where(Draft.user_id == giver_id).values(user_id=taker_id))


def _store(session: Session, user_id: int, slug: str, content: bytes, based_on: int | None) -> Draft:
    stored = session.get(Draft, (user_id, slug), with_for_update=True)
    if stored is not None and stored.source == content:
        return stored
    if based_on is not None and based_on != (stored.version if stored else 0):
        if stored is not None:
            session.expunge(stored)  # readable after the transaction is rolled back
        raise DraftChanged(stored)
    if stored is None:
        stored = Draft(user_id=user_id, slug=slug, version=0)
        session.add(stored)
    stored.source, stored.version, stored.updated_at = content, stored.version + 1, now()
    session.flush()
    return stored


def _drafts(session: Session, user_id: int) -> list[Draft]:
    return list(session.scalars(select(Draft).where(Draft.user_id == user_id)))
