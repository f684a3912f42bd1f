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
    # Drawn apart, so that what else is drawn stays as it is.
    apart = Random(f"{len(strings)} {advantage}")  # noqa: S311  # data, not secrets
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
        trainer_logprobs=[_recomputed(value, 0.012, apart) for value in logprobs],
        reference_logprobs=[_recomputed(value, 0.15, apart) for value in logprobs],
        mask=[1] * len(strings),
        advantage=[round(advantage, 4)] * len(strings),
    )


def _recomputed(logprob: float | None, spread: float, apart: Random) -> float:
    """As another engine or model gives it: nearly the same, and now and then not at all."""
    far = 60 if apart.random() < 0.002 else 1
    return round(min((logprob or 0.0) + far * apart.gauss(0, spread), -1e-4), 4)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))
