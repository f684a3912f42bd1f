"""Values per token that context parallelism split over ranks, put together again.

A sequence is cut into twice as many chunks as there are ranks, and a rank has one from the front and its mirror image from
the back. A value stands where the model predicted it, one place before its token. What a rank has of a response follows
from the lengths alone, so pieces are put together only where exactly one number of ranks explains all of their lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MAX_RANKS = 4096

RankPiece = list[Any]


def assemble(pieces: Sequence[RankPiece], total: int, response: int) -> RankPiece:
    """`pieces` are one sample's, in order of the ranks; several ranks may hold the same one (tensor parallelism). Empty
    where they do not give the whole, or more than one whole."""
    found: list[RankPiece] = []
    for ranks in range(2, min(len(pieces), MAX_RANKS) + 1):
        if len(pieces) % ranks == 0 and (whole := _put_together(pieces, ranks, total, response)) and whole not in found:
            found.append(whole)
    return found[0] if len(found) == 1 else []


def _put_together(pieces: Sequence[RankPiece], ranks: int, total: int, response: int) -> RankPiece:
    copies = len(pieces) // ranks
    whole: RankPiece = [None] * response
    seen = 0
    for rank in range(ranks):
        piece, *others = pieces[rank * copies : (rank + 1) * copies]
        places = _places(rank, ranks, total, response)
        if len(places) != len(piece) or any(other != piece for other in others):
            return []
        for place, value in zip(places, piece):
            whole[place] = value
        seen += len(places)
    return whole if seen == response else []


def _places(rank: int, ranks: int, total: int, response: int) -> list[int]:
    """Which tokens of the response a rank has the values of."""
    chunk = -(-total // (2 * ranks))
    before = total - response - 1
    found: list[int] = []
    for number in (rank, 2 * ranks - rank - 1):
        start, end = max(number * chunk, before), min((number + 1) * chunk, total - 1)
        found += range(start - before, end - before)
    return found
