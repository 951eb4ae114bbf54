"""Which version the users get: the alias ``champion``, moved forward and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbspark.errors import ConflictError, StoreError
from nbspark.store.aliases import CHAMPION, history, move, newest_move

if TYPE_CHECKING:
    from nbspark.store import Store
    from nbspark.store.aliases import Move


def promote(store: Store, version: int, *, alias: str = CHAMPION, reason: str = "promoted") -> tuple[Move, bool]:
    """Let an alias name a version that is whole; return the move that holds, and whether it is new.

    Raises
    ------
    StoreError
        There is no such version, or it does not verify.
    """
    chosen = store.version(version)
    store.verify(chosen)
    while True:
        before = newest_move(store, alias)
        if before is not None and before.version == version:
            return before, False
        try:
            return move(store, alias, chosen, after=before, reason=reason), True
        except ConflictError:
            continue


def rollback(store: Store, *, alias: str = CHAMPION) -> Move:
    """Let an alias name again what it named before.

    Rolling back twice goes back two steps: a move that a rollback undid is not gone forward to.

    Raises
    ------
    StoreError
        The alias never named another version.
    """
    moves = history(store, alias)
    if not moves:
        raise StoreError(f"{store.root}: there is no alias {alias!r} to roll back. Promote a version first.")
    steps: list[int] = []
    for one in moves:
        if one.reason == ROLLBACK and len(steps) > 1:
            steps.pop()
        else:
            steps.append(one.version)
    if len(steps) < 2:
        raise StoreError(
            f"{store.root}: alias {alias!r} is at version {steps[-1]}, the first that it named; there is no way back."
        )
    chosen = store.version(steps[-2])
    store.verify(chosen)
    return move(store, alias, chosen, after=moves[-1], reason=ROLLBACK)


ROLLBACK = "rolled back"
