"""A stand-in for a tokenizer: word pieces, signs and line breaks. Joined they give the text back."""

from __future__ import annotations

import math
import re
import zlib
from random import Random

from rollscope.model import TokenArrays

_PIECE = re.compile(r" ?[A-Za-z]{1,7}| ?\d{1,3}|\s+|[^\sA-Za-z\d]")


def pieces(text: str) -> list[str]:
    return _PIECE.findall(text)


def count_tokens(text: str) -> int:
    return len(pieces(text))


def token_arrays(text: str, advantage: float, entropy: float, rng: Random) -> TokenArrays:
    """Plausible per-token values: numbers and first words of a line are where a policy hesitates."""
    strings = pieces(text)
    logprobs: list[float | None] = []
    entropies: list[float | None] = []
    fresh = True
    for piece in strings:
        hesitant = fresh or piece.strip().isdigit()
        spread = entropy * (2.2 if hesitant else 0.6) * rng.expovariate(1.0)
        entropies.append(round(spread, 3))
        logprobs.append(round(-spread * rng.expovariate(1.2) - 1e-3, 3))
        fresh = "\n" in piece
    return TokenArrays(
        ids=[zlib.crc32(piece.encode()) % 151_936 for piece in strings],
        strings=strings,
        logprobs=logprobs,
        entropy=entropies,
        mask=[1] * len(strings),
        advantage=[round(advantage, 4)] * len(strings),
    )


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))
