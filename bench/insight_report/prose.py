"""Real prose of this machine, never of this repository, in a dozen languages.

English: the documentation that comes with Python, and licences. Others: what programs say to their users (gettext's catalogs).
"""

from __future__ import annotations

import gettext
import glob
import random
import re
from functools import cache

#: Language -> its catalogs, and the least share of its characters beyond ASCII (a catalog has untranslated lines, too).
LANGUAGES = {
    "zh": ("zh_CN", 0.5),
    "ru": ("ru", 0.5),
    "ja": ("ja", 0.5),
    "ko": ("ko", 0.4),
    "el": ("el", 0.5),
    "ar": ("ar", 0.5),
    "hi": ("hi", 0.5),
    "th": ("th", 0.5),
    "uk": ("uk", 0.5),
    "de": ("de", 0.005),
    "es": ("es", 0.005),
    "fr": ("fr", 0.005),
    "it": ("it", 0.002),
    "pl": ("pl", 0.02),
    "pt": ("pt_BR", 0.005),
    "vi": ("vi", 0.05),
}
UNSPACED = frozenset({"zh", "ja", "th"})
#: Written with Latin letters.
LATIN = ("de", "es", "fr", "it", "pl", "pt", "vi")


@cache
def lines(language: str) -> tuple[str, ...]:
    """Paragraphs of English, messages of others; in a fixed order."""
    found = _english() if language == "en" else _catalog(*LANGUAGES[language])
    return tuple(sorted(set(found)))


def _english() -> list[str]:
    from pydoc_data.topics import topics

    texts = list(topics.values())
    for path in sorted(glob.glob("/usr/share/common-licenses/*")):
        with open(path, encoding="utf-8", errors="ignore") as file:
            texts.append(file.read())
    paragraphs = (" ".join(part.split()) for text in texts for part in re.split(r"\n\s*\n", text))
    return [text for text in paragraphs if 60 < len(text) < 900 and text.count(" ") > 8 and text[0].isupper()]


def _catalog(name: str, least: float) -> list[str]:
    found: list[str] = []
    for path in sorted(glob.glob(f"/usr/share/locale/{name}/LC_MESSAGES/*.mo"))[:80]:
        try:
            with open(path, "rb") as file:
                said = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
        except (OSError, UnicodeDecodeError, ValueError):
            continue
        texts = (" ".join(text.split()) for key, text in said.items() if key and isinstance(text, str))
        found += [text for text in texts if len(text) > 24 and not re.search(r"[%<{|=@\\]|--|\b[A-Z_]{4,}\b|^-", text)]
    return [text for text in found if sum(ord(sign) > 127 for sign in text) > least * len(text)]


def known_languages() -> list[str]:
    return ["en", *(name for name in LANGUAGES if len(lines(name)) > 150)]


def text(chance: random.Random, chars: int, language: str = "en") -> str:
    said = lines(language)
    parts: list[str] = []
    size = 0
    while size < chars:
        part = chance.choice(said)
        parts.append(part if part[-1] in ".!?。？！" else part + ("。" if language in ("zh", "ja") else "."))
        size += len(part) + 1
    joined = (" " if language not in UNSPACED else "").join(parts)
    # Paragraphs, as answers have them.
    return re.sub(r"([.。]) ?(?=\S)", lambda found: found[1] + ("\n\n" if chance.random() < 0.2 else " "), joined)
