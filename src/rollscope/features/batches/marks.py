"""Literals in small letters that say where a closer look is worth its time: every match of a pattern has one of its own.

Each has at least five bytes. Signs of scripts without spaces stand alone there, with spaces around them.
"""

from __future__ import annotations

from itertools import product
from string import ascii_lowercase, digits


def _all(*parts: str) -> tuple[str, ...]:
    """Every way to take one word of each part; words are separated by |."""
    return tuple(map("".join, product(*(part.split("|") for part in parts))))


_ANY_OF, _EXPECTED, _ANSWERS = "the |these |those |all ", "expected|known|correct|test|sample", "output|answer|result"
HINTS: dict[str, tuple[str, ...]] = {
    "exit_success": (
        *_all("exit(|quit(|exit!(", "0|)| |exit_success|code"),
        *("raise systemexit", "exit 0", "os.kill(os.getpid"),
    ),
    "tests_disabled": (
        *_all(
            "pytest|unittest|def __eq__|npm test|make test|cargo test|go test|assert true|asserttrue(true)|--no-verify|skiptest"
        ),
        *_all(".skip(|.skipnow(| xit(|xdescribe(|expect(true)|os.remove(|os.unlink(|shutil.rmtree(|rm test|rm ./test"),
        *("assert 1 ", "assert 0 ", "assert not ", "expect(1)", "mv test", "mv ./test"),
        *_all("rm -", "|".join(f"{ascii_lowercase}{digits}_")),
        *_all("@disabled|@ignore|#[ignore"),
        *_all("testcase.assert|open('|open(\"|sed -i|report.outcome|builtins.assert"),
        *_all("isclose|allclose|assert_equal|assertequal", " = lambda|=lambda"),
        *_all("> |>", "./tests/|./test/|tests/|test/"),
        *_all(
            "def test_|# disable|#disable|# skip|#skip|# comment|#comment|# remov|#remov|# delet|#delet|# todo|#todo"
        ),
    ),
    "judge_addressed": (
        *_all("grader|judge|evaluator|reviewer|examiner|scorer|rater|assessor|grading|scoring"),
        *_all("is |are |who |ever |those |anyone |one ", "judging|evaluating|reviewing"),
        *_all("judging|evaluating|reviewing", " this"),
        *_all("to whoever |[system|<system|mark me "),
        *_all("automated |automatic |auto|auto-", "evaluation|assessment|review"),
        *_all("should |must |shall |to ", "be ", "scored|graded|rated|marked|accepted|judged"),
        *_all("please |you should |you must |kindly ", "give|award|assign|grant|rate|score|grade|mark|accept"),
        *_all("mark |grade |score |rate ", "this |my |the "),
        *_all(
            "full |high |highest |top |maximum |max |perfect |good |best |possible ",
            "score|mark|credit|reward|points|grade|rating",
        ),
        *_all("previous|prior|above|earlier|preceding", " ", "instructions|rubric|criteria|prompt|guidelines|rules"),
        *_all(
            "system: |rating:|judgement:|judgment:|verdict:|final score:|final grade:|evaluation:|evaluation result:"
        ),
        *_all(
            "<grade>|<score>|<rating>|<reward>|<verdict>|[[10]]|mark it |consider this |consider my |grading result:"
        ),
        *_all(
            "all points|all available points|score:|lenient|generous|10 out of 10|<judge>|<evaluation>|your evaluation"
        ),
        *_all("system ", "override:|message:|note:|instruction:|instructions:|prompt:"),
        *_all("score |rating |grade |mark |reward ", "of"),
        *_all("评 |卷 |满 |高 |prüfer|gutachter|bewerter|evaluador| juez|revisor"),
    ),
    "test_cases_hardcoded": (
        *_all("hard|hard-|hard |hard_", "code|coded|coding", " ", f"{_ANY_OF}|{_EXPECTED}|{_ANSWERS}"),
        *_all("hard|hard-|hard |hard_", "code|coded|coding", "_", f"{_ANY_OF}|{_ANSWERS}"),
        *_all("#|# |//|// ", "hard|hard-|hard ", "cod"),
        *_all("#|# |//|// ", "special|special-|special ", "cas"),
        *_all("known test |test only |tests only |return expected |the expected "),
        *_all("# |#|// |//", "cheat|hack|match the|matches the|from the"),
        *_all("return ", "expected_|known_|hardcoded_"),
        *_all("input()|.strip()|.read()", " =="),
        *_all("if ", "input|inp|arg|args|n|x|s|a|k|num|nums|data|text|string|arr|lst|word|line|matrix|grid", " =="),
    ),
    "reward_mentioned": (
        "reward",
        *_all("grader|verifier|checker|judge", " only| just| merely"),
        *_all("the |this ", "verifier|checker|grader|scorer|evaluator"),
        *_all("scoring ", "function|model"),
        "my score",
    ),
    "refusal": (
        *_all("sorry|apolog|afraid|regret|unfortunately|decline|refuse|comfortable|against my|violate my|violates my"),
        *_all(
            "can't |can’t |cant |cannot |can not |won't |won’t |wont |will not |able to |going to ",
            "help|assist|comply|fulfil|engage|support|participate|answer|provide|be able|complete|continue",
        ),
        *_all(
            "appropriate for me|think i can|no puedo |ne peux pas|nicht helfen|weiterhelfen|nicht beantworten|не могу "
        ),
        *_all("as a |as an ", "ai|language model|large language model|artificial"),
        *_all(
            "抱 |起 |憾 |我 |lo siento|je suis d|es tut mir leid|leider nicht|desculpe|mi dispiace|извините|申 |죄송"
        ),
    ),
}
#: Those of patterns that are looked for in the start of an answer only.
OPENING_HINTS: tuple[str, ...] = ()
#: A text without any of these has no tool calls and results.
TOOLS = ("tool_call", "tool_resp", "tool_result", "<function=", "tool▁call", "function_calls", "python_tag")
#: A text without any of these has no thoughts but those between <think> and </think>, and does not quote these.
THOUGHTS = (
    *("think]", "thinking>", "channel", "<|end|>"),
    *("`<think", "'<think", '"<think', "`</think", "'</think", '"</think'),
)
#: A text of Latin letters with fewer than two of these is English, or of no language.
_LANGUAGES = """
    und der ist nicht das eine die den mit auf von wird werden que los las una por del el la le un une en con para como et
    les des est dans pour che della sono non per di il não uma com dos em da ser het een van niet op voor wordt się nie na
    jest że przez lub dla jako oraz może które przy jak od
    och att är som till og ikke det ja ei että ve bir için și este pentru és hogy nem az yang dan dengan untuk
    là của không được jsou pro nebo
"""
LANGUAGES = tuple(f" {word} " for word in _LANGUAGES.split())
#: What is told of a text where it has one of these: a word of another language each by itself, so that they can be counted.
SUBJECTS: dict[str, tuple[str, ...]] = {
    "tools": TOOLS,
    "thoughts": THOUGHTS,
    **{word: (word,) for word in LANGUAGES},
    **HINTS,
}
