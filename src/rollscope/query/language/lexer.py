"""From characters to tokens, and the one way to say where a filter is wrong."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

from msgspec import Struct

from rollscope.errors import FilterError
from rollscope.fields import FEATURE_SPACES, SPACES
from rollscope.query.language.ast import Value

TokenKind = Literal["name", "member", "word", "number", "string", "regex", "operator", "open", "close", "comma", "end"]

#: Words with a meaning of their own, in small or capital letters. They are not fields.
WORDS: Final = frozenset(
    {"and", "or", "not", "in", "is", "missing", "nan", "contains", "icontains", "matches", "true", "false"}
)
OPERATORS: Final = {"=": "=", "==": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
#: What people write who know other languages, and what it is here.
FOREIGN: Final = {
    "&&": "and",
    "&": "and",
    "||": "or",
    "|": "or",
    "!": "not",
    "<>": "!=",
    "=>": ">=",
    "=<": "<=",
    "=~": "matches",
    "~": "matches",
}
REGEX_FLAGS: Final = "ims"

_SPACE: Final = re.compile(r"\s*")
_MEMBER: Final = re.compile(rf"({'|'.join((*SPACES, *FEATURE_SPACES))})\.")
#: A metric's name needs quotes only where it holds other characters. A ``/`` or ``-`` at its end is more likely a slip.
PLAIN_MEMBER: Final = re.compile(r"[\w@^](?:[\w@/.^-]*[\w@^])?")
_NAME: Final = re.compile(r"[^\W\d]\w*")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
_OPERATOR: Final = re.compile(r"<>|=[~<>]|&&|\|\||[<>=!]=|[<>=!~&|]")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}
_HALF_CHARACTER: Final = re.compile("[\ud800-\udfff]")
_HALF_CHARACTER_MISTAKE: Final = ("half a character (a lone surrogate) is in no text", "write the whole character")
_FLAGS_ADVICE: Final = "flags: i ignores case, m lets ^ and $ match at line ends, s lets . match line breaks"
_PUNCTUATION: Final[dict[str, TokenKind]] = {"(": "open", ")": "close", ",": "comma"}


class Token(Struct, frozen=True):
    kind: TokenKind
    text: str
    position: int
    value: Value = ""
    #: A regex's flags, a member's ``metrics`` or ``rewards``.
    extra: str = ""


def mistake(source: str, position: int, message: str, advice: str = "") -> FilterError:
    """The error for a mistake at ``position``. Its hint shows the line with a caret below the place."""
    if not source:  # a tree made by a program has no text to point into
        return FilterError(message, hint=advice)
    start = source.rfind("\n", 0, position) + 1
    line = source[start:].partition("\n")[0]
    caret = "".join(map(_blank, source[start:position])) + "^"
    hint = "\n".join(filter(None, (line, caret, advice)))
    return FilterError(f"{message} (column {position - start + 1})", source=source, position=position, hint=hint)


def _blank(character: str) -> str:
    """White space as wide as the character is on a terminal, so that the caret stands below its place."""
    if character == "\t":
        return "\t"
    if unicodedata.combining(character):
        return ""
    return "  " if unicodedata.east_asian_width(character) in "WF" else " "


def tokenize(source: str) -> list[Token]:
    """All tokens, the last of kind ``end``."""
    if half := _HALF_CHARACTER.search(source):
        raise mistake(source, half.start(), *_HALF_CHARACTER_MISTAKE)
    tokens: list[Token] = []
    at = _skip_space(source, 0)
    while at < len(source):
        regex_may_follow = bool(tokens) and tokens[-1].kind == "word" and tokens[-1].text == "matches"
        token, at = _token(source, at, regex_may_follow=regex_may_follow)
        tokens.append(token)
        at = _skip_space(source, at)
    tokens.append(Token("end", "", len(source)))
    return tokens


def _skip_space(source: str, at: int) -> int:
    space = _SPACE.match(source, at)
    return space.end() if space else at


def _token(source: str, at: int, *, regex_may_follow: bool) -> tuple[Token, int]:
    """The token at ``at`` and where it ends."""
    character = source[at]
    if kind := _PUNCTUATION.get(character):
        return Token(kind, character, at), at + 1
    if character in "\"'":
        text, end = _string(source, at)
        return Token("string", source[at:end], at, text), end
    if character == "/" and regex_may_follow:
        return _regex(source, at)
    if match := _MEMBER.match(source, at):
        return _member(source, at, match)
    if match := _NAME.match(source, at):
        word = match[0].lower()
        if word in WORDS:
            return Token("word", word, at), match.end()
        if source.startswith(".", match.end()):
            advice = "only metrics.NAME, rewards.NAME, text.NAME and token.NAME have a name after a dot"
            raise mistake(source, at, f"there is no {match[0] + '.'!r} here", advice)
        return Token("name", match[0], at), match.end()
    if match := _NUMBER.match(source, at):
        return Token("number", match[0], at, _number(match[0])), match.end()
    if match := _OPERATOR.match(source, at):
        if match[0] in FOREIGN:
            raise mistake(source, at, f"{match[0]!r} is no operator here", f"write {FOREIGN[match[0]]}")
        return Token("operator", OPERATORS[match[0]], at), match.end()
    if character.isdigit() or character in "+-.":
        raise mistake(source, at, "this is no number", "numbers look like 2, -0.5, 1e-3; texts stand in quotes")
    if character == "/":
        raise mistake(source, at, "a /pattern/ may only follow matches", "such as: response matches /cannot|can't/i")
    raise mistake(source, at, f"unexpected character {character!r}", "texts stand in quotes, metrics are metrics.NAME")


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _string(source: str, at: int) -> tuple[str, int]:
    """The text between the quotes at ``at``, and where the closing quote ends."""
    quote, end = source[at], at + 1
    while end < len(source) and source[end] != quote:
        end += 2 if source[end] == "\\" else 1
    if end >= len(source):
        raise mistake(source, at, "a text that begins here has no closing quote", f"close it with {quote}")
    # Two escapes may be one character, as JSON writes it.
    text = (
        _ESCAPE.sub(_unescape, source[at + 1 : end]).encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    )
    if _HALF_CHARACTER.search(text):
        raise mistake(source, at, *_HALF_CHARACTER_MISTAKE)
    return text, end + 1


def _unescape(match: re.Match[str]) -> str:
    """``\\n`` and its like; a backslash before anything else stays, so that ``"\\d+"`` is the pattern it looks like."""
    code, character = match[1], match[2]
    if code:
        return chr(int(code, 16))
    return _ESCAPED.get(character, f"\\{character}")


def _regex(source: str, at: int) -> tuple[Token, int]:
    end = at + 1
    while end < len(source) and source[end] != "/":
        end += 2 if source[end] == "\\" else 1
    if end >= len(source):
        raise mistake(
            source, at, "a pattern that begins here has no closing slash", r"close it with /, and write \/ inside it"
        )
    pattern = source[at + 1 : end].replace(r"\/", "/")
    stop = end + 1
    while stop < len(source) and (source[stop].isalnum() or source[stop] == "_"):
        stop += 1
    flags = source[end + 1 : stop]
    for index, flag in enumerate(flags):
        if flag not in REGEX_FLAGS:
            raise mistake(source, end + 1 + index, f"{flag!r} is no flag of a pattern", _FLAGS_ADVICE)
    ordered = "".join(flag for flag in REGEX_FLAGS if flag in flags)
    return Token("regex", source[at:stop], at, pattern, ordered), stop


def _member(source: str, at: int, match: re.Match[str]) -> tuple[Token, int]:
    start = match.end()
    if source[start : start + 1] in ('"', "'"):
        name, end = _string(source, start)
    elif plain := PLAIN_MEMBER.match(source, start):
        name, end = plain[0], plain.end()
    else:
        advice = f'such as {match[1]}.correct or {match[1]}."pass@2/correct"'
        raise mistake(source, start, f"expected a name after {match[0]!r}", advice)
    return Token("member", source[at:end], at, name, match[1]), end
