"""Literals in small letters that say where a closer look is worth its time: every match of a pattern has one of its own."""

from __future__ import annotations

HINTS: dict[str, tuple[str, ...]] = {
    "exit_success": ("exit(", "systemexit"),
    "tests_disabled": ("pytest", "unittest", "__eq__", "npm test", "make test", "assert true", "--no-verify"),
    "judge_addressed": (
        *("grader", "judge", "evaluator", "reviewer", "examiner", "scorer", "rater", "kindly"),
        *(
            f"{before} {verb}"
            for before in ("please", "should", "must")
            for verb in ("give", "award", "assign", "grant")
        ),
        *(f"ignore {what}" for what in ("all", "any", "of", "the", "your", "prev", "prior", "above", "earlier")),
    ),
    "test_cases_hardcoded": (
        *("hardcod", "hard-cod", "hard cod", "special-cas", "special cas"),
        *(f"if {name} ==" for name in ("input", "inp", "arg", "args", "n", "x", "s")),
    ),
    "reward_mentioned": ("reward",),
    # Looked for in the start of an answer only.
    "refusal": (
        *("i can", "i won", "i will not", "able to", "as an ai", "decline", "我", "lo siento", "je suis d"),
        *("es tut mir leid", "desculpe", "извините", "申し訳"),
    ),
}
#: A text without any of these has no tool calls and results.
TOOLS = ("tool_call", "tool_resp", "tool_result", "<function=", "tool▁call", "function_calls", "python_tag")
#: A text without any of these has no thoughts but those between <think> and </think>.
THOUGHTS = ("think]", "thinking>", "channel", "<|end|>")
#: All that is looked for in a whole text.
MARKS = (*TOOLS, *THOUGHTS, *(hint for name, hints in HINTS.items() if name != "refusal" for hint in hints))
