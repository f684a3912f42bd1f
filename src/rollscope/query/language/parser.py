"""From tokens to the tree, by recursive descent: ``or`` of ``and`` of ``not`` of conditions.

Every error says where it is, what was expected there, and how it is written.
"""

from __future__ import annotations

from typing import Final, cast

from rollscope.errors import FilterError
from rollscope.query.language.ast import (
    And,
    Comparison,
    Constant,
    Contains,
    Expr,
    FieldName,
    Flag,
    MatchesPattern,
    Membership,
    Not,
    Operator,
    Or,
    SpaceName,
    ValueState,
)
from rollscope.query.language.lexer import Token, TokenKind, mistake, tokenize

#: Deeper nesting than people write, and far from what Python's or DuckDB's stack holds.
MAX_DEPTH: Final = 100
_CONDITIONS: Final = "a comparison (= != < <= > >=), in, is missing, contains or matches"
#: Words of other languages in the place of an operator, and what is written here.
_FOREIGN_WORDS: Final = {
    **dict.fromkeys(("like", "contain", "includes", "has"), 'write contains "…"'),
    "ilike": 'write icontains "…"',
    **dict.fromkeys(("match", "regexp", "rlike"), "write matches /…/"),
    "between": "write FIELD >= 0 and FIELD <= 1",
}
#: What SQL says behind its conditions.
_AFTER_CONDITIONS: Final = ("limit", "order", "sort", "by", "group", "having")


def parse(source: str) -> Expr:
    """The tree of a filter; raises :class:`rollscope.errors.FilterError` with its position and a caret."""
    return _Parser(source).parse()


class _Parser:
    def __init__(self, source: str) -> None:
        self.source = source
        self.tokens = tokenize(source)
        self.at = 0
        self.depth = 0

    def parse(self) -> Expr:
        if self._is("end"):
            raise mistake(self.source, 0, "the filter is empty", 'such as: reward < 0.2 and status = "truncated"')
        expr = self._or()
        if self._is("close"):
            raise self._mistake("this parenthesis was never opened", "remove it, or open it earlier")
        if not self._is("end"):
            after = self._is("name") and self.token.text.lower() in _AFTER_CONDITIONS
            advice = "a filter has conditions only: sort and limit are asked beside it" if after else ""
            raise self._mistake(f"expected and, or, or the end of the filter, not {self._token_text()}", advice)
        return expr

    # Looking at the next token, and taking it

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def _is(self, *kinds: TokenKind) -> bool:
        return self.token.kind in kinds

    def _next(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def _word(self, *words: str) -> str | None:
        """The next word, taken, if it is one of these."""
        if self._is("word") and self.token.text in words:
            return self._next().text
        return None

    def _takes(self, kind: TokenKind) -> bool:
        if self.token.kind != kind:
            return False
        self.at += 1
        return True

    def _token_text(self) -> str:
        return "the end" if self._is("end") else repr(self.token.text)

    def _mistake(self, message: str, advice: str = "") -> FilterError:
        return mistake(self.source, self.token.position, message, advice)

    # The grammar

    def _or(self) -> Expr:
        operands = [self._and()]
        while self._word("or"):
            operands.append(self._and())
        return operands[0] if len(operands) == 1 else Or(tuple(operands))

    def _and(self) -> Expr:
        operands = [self._not()]
        while self._word("and"):
            operands.append(self._not())
        return operands[0] if len(operands) == 1 else And(tuple(operands))

    def _not(self) -> Expr:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self._mistake(f"more than {MAX_DEPTH} levels of not and parentheses", "write it flatter")
        expr = Not(self._not()) if self._word("not") else self._primary()
        self.depth -= 1
        return expr

    def _primary(self) -> Expr:
        if self._is("open"):
            opened = self._next()
            expr = self._or()
            if not self._takes("close"):
                if self._is("end"):
                    raise mistake(self.source, opened.position, "this parenthesis is never closed", "close it with )")
                raise self._mistake(f"expected and, or, or ')', not {self._token_text()}")
            return expr
        if self._is("name"):
            token = self._next()
            return self._condition(FieldName(token.text, "", token.position, self.source))
        if self._is("member"):
            token = self._next()
            return self._condition(
                FieldName(str(token.value), cast("SpaceName", token.extra), token.position, self.source)
            )
        advice = "the field comes first: reward > 0.5" if self._is("number", "string") else ""
        raise self._mistake(f"expected a field, not or '(' here, not {self._token_text()}", advice)

    def _condition(self, field: FieldName) -> Expr:
        if self._is("operator"):
            operator = cast("Operator", self._next().text)
            return Comparison(field, operator, self._constant(f"after {operator}"))
        if self._word("is"):
            return self._state(field)
        negated = self._word("not") is not None
        if self._word("in"):
            return Membership(field, self._constants(), negated)
        if word := self._word("contains", "icontains"):
            position = self.token.position
            return Contains(field, self._text(word), word == "icontains", negated, position)
        if self._word("matches"):
            position = self.token.position
            flags = self.token.extra if self._is("regex") else ""
            pattern = str(self._next().value) if self._is("regex") else self._text("matches")
            return MatchesPattern(field, pattern, flags, negated, position)
        if negated:
            raise self._mistake(f"expected in, contains or matches after not, not {self._token_text()}")
        if self._is("end", "close") or (self._is("word") and self.token.text in ("and", "or")):
            return Flag(field)
        advice = _FOREIGN_WORDS.get(self.token.text.lower(), "").replace("FIELD", field.column)
        raise self._mistake(f"expected {_CONDITIONS} after {field.column}, not {self._token_text()}", advice)

    def _state(self, field: FieldName) -> ValueState:
        negated = self._word("not") is not None
        if word := self._word("missing", "nan"):
            return ValueState(field, "missing" if word == "missing" else "nan", negated)
        foreign = self._is("name") and self.token.text.lower() in ("null", "none", "empty")
        raise self._mistake(
            f"expected missing or nan, not {self._token_text()}", "write: is missing" if foreign else ""
        )

    def _constants(self) -> tuple[Constant, ...]:
        if not self._takes("open"):
            raise self._mistake(f"expected '(' after in, not {self._token_text()}", 'such as: env in ("math", "code")')
        constants = [self._constant("in the list")]
        while self._takes("comma"):
            constants.append(self._constant("in the list"))
        if not self._takes("close"):
            raise self._mistake(f"expected ',' or ')' in the list, not {self._token_text()}")
        return tuple(constants)

    def _constant(self, where: str) -> Constant:
        token = self.token
        if token.kind in ("number", "string"):
            self.at += 1
            return Constant(token.value, token.position)
        if word := self._word("true", "false"):
            return Constant(word == "true", token.position)
        advice = ""
        if token.kind == "name":
            foreign = token.text.lower() in ("null", "none")
            advice = "write: is missing" if foreign else f'a text stands in quotes: "{token.text}"'
        elif token.kind == "word" and token.text in ("missing", "nan"):
            advice = f"write: is {token.text}"
        elif token.kind == "member":
            advice = "a field can only be compared with a value, not with another field"
        raise self._mistake(
            f"expected a number, a text in quotes, true or false {where}, not {self._token_text()}", advice
        )

    def _text(self, after: str) -> str:
        if not self._is("string"):
            advice = f'such as: response {after} "I cannot"'
            raise self._mistake(f"expected a text in quotes after {after}, not {self._token_text()}", advice)
        return str(self._next().value)
