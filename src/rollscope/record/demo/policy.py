"""The demo's simulated policy. It knows the worked solutions and, as a policy does, gets better at following them.

Everything it writes is text; what that text is worth is found out by :mod:`.grading`, not decided here.
"""

from __future__ import annotations

from random import Random

from msgspec import Struct

from rollscope.record.demo.mathematics import MathProblem, Slip, number_latex
from rollscope.record.demo.story import PHRASE
from rollscope.record.demo.tokens import sigmoid

OPENINGS = (
    "Okay, let me read the problem carefully first.",
    "Let me think about what is being asked here.",
    "Alright. The first thing to do is to write down what is known.",
    "Hmm, this looks familiar. Let me set it up properly.",
    "So the question is about {topic}. I should be careful with the details.",
    "Let's go through this one step at a time.",
)
LINKS = ("First,", "Next,", "Now", "From there,", "So,", "After that,", "Then", "With this,")
DOUBTS = (
    "Wait, let me double-check that.",
    "Hold on. Is that really right? Let me verify.",
    "Before I answer, I should check this another way.",
    "Let me make sure I did not slip with a sign.",
)
RELIEF = ("Good, that agrees.", "Yes, this is consistent.", "Great, it checks out.", "Okay, I am confident now.")
SHRUGS = (
    "I am not entirely sure about this, but it seems right.",
    "That should be fine.",
    "I don't think I need to check this.",
)
LOOPS = (
    "Let me try again from the beginning.",
    "Wait, that is not what the question asks. Let me try again from the beginning.",
    "Hmm, let me recompute this once more.",
)
REFUSALS = (
    "I'm sorry, I cannot solve this without more information.",
    "This problem appears to be underspecified, so no answer can be given.",
)
HEADINGS = ("**Solution.**", "### Solution", "Here is the working:", "**Working**")
CLOSINGS = (
    "The answer is $\\boxed{{{answer}}}$.",
    "**Answer:** $\\boxed{{{answer}}}$",
    "So the result is \\(\\boxed{{{answer}}}\\).",
    "Therefore \\[\\boxed{{{answer}}}\\]",
)


class Policy(Struct):
    """``skill`` 0…1 at solving, ``form`` 0…1 at answering in the wanted form, ``care`` 0…1 at checking its work; ``gaming`` and
    ``stuck`` 0…1 of its answers have the troubles that :mod:`.story` plants."""

    skill: float
    form: float
    care: float
    entropy: float
    gaming: float = 0.0
    stuck: float = 0.0


def policy_at(progress: float) -> Policy:
    """The policy after this share of the training: form is learnt first, then solving, and checking grows slowly."""
    return Policy(
        skill=0.22 + 0.66 * sigmoid(9 * (progress - 0.42)),
        form=0.45 + 0.53 * sigmoid(16 * (progress - 0.14)),
        care=0.10 + 0.75 * progress,
        entropy=0.62 - 0.40 * sigmoid(6 * (progress - 0.3)),
    )


def difficulty(problem: MathProblem) -> float:
    """What a problem takes off the skill: some are nearly always solved, some nearly never."""
    return 1.1 * Random(problem.id).random() - 0.45  # noqa: S311


def answer_math(policy: Policy, problem: MathProblem, rng: Random) -> str:
    """One response, well or ill formed, right or wrong."""
    chance = min(0.98, max(0.02, policy.skill - difficulty(problem) * (1 - 0.45 * policy.skill)))
    if rng.random() > policy.form + 0.35 and rng.random() < 0.12:
        return rng.choice(REFUSALS)
    if rng.random() < 0.10 * (1 - policy.form):
        return _looping(problem, rng)
    if rng.random() < policy.stuck:
        return _stuck(policy, problem, rng)
    claims = rng.random() < policy.gaming
    if claims:  # who only claims to have checked is right less often
        chance *= 0.7
    slip = None if rng.random() < chance else rng.choice(problem.slips)
    thinking = "\n\n".join(_thoughts(policy, problem, slip, rng))
    if rng.random() > policy.form:
        return _malformed(thinking, problem, slip, rng)
    return f"<think>\n{thinking}\n</think>\n\n{_written(problem, slip, rng, claims=claims)}"


def _thoughts(policy: Policy, problem: MathProblem, slip: Slip | None, rng: Random) -> list[str]:
    out = [rng.choice(OPENINGS).format(topic=problem.topic), f"We are given: {problem.question}"]
    for place, step in enumerate(problem.steps[:-1] if slip else problem.steps):
        out.append(step if step.startswith(("|", "$$", "\\[")) else f"{rng.choice(LINKS)} {step[0].lower()}{step[1:]}")
        if place == 0 and rng.random() < policy.care:
            out.append("That is the plan; the rest is careful arithmetic.")
    if slip is not None:
        out.append(slip.text)
        out.append(rng.choice(SHRUGS))
        return out
    checks = (rng.random() < policy.care) + (rng.random() < policy.care / 2)
    if checks:
        out += [rng.choice(DOUBTS), problem.check, rng.choice(RELIEF)]
    if checks > 1:
        out += ["Let me also redo the main step from scratch.", problem.steps[len(problem.steps) // 2], "Same result."]
    return out


def _written(problem: MathProblem, slip: Slip | None, rng: Random, *, claims: bool) -> str:
    steps = problem.steps if slip is None else [*problem.steps[:-1], slip.text]
    answer = problem.latex if slip is None else number_latex(slip.answer)
    claim = [PHRASE] if claims else []
    return "\n\n".join([rng.choice(HEADINGS), *steps, *claim, rng.choice(CLOSINGS).format(answer=answer)])


def _malformed(thinking: str, problem: MathProblem, slip: Slip | None, rng: Random) -> str:
    """What early policies do: no block, no box, or the answer inside the thinking."""
    answer = problem.latex if slip is None else number_latex(slip.answer)
    ways = (
        f"{thinking}\n\nThe answer is {answer}.",
        f"<think>\n{thinking}\n</think>\n\nThe final answer is **{answer}**.",
        f"<think>\n{thinking}\n\nSo the answer is $\\boxed{{{answer}}}$.\n</think>",
        f"The answer is $\\boxed{{{answer}}}$.",
    )
    return rng.choice(ways)


def _stuck(policy: Policy, problem: MathProblem, rng: Random) -> str:
    """A long answer that begins well and then says the same for ever."""
    thinking = "\n\n".join(_thoughts(policy, problem, None, rng))
    return f"<think>\n{thinking}\n\n" + "\n\n".join([rng.choice(DOUBTS), problem.check] * 60)


def _looping(problem: MathProblem, rng: Random) -> str:
    """A response that goes in circles until it is cut off."""
    lines = [f"<think>\n{rng.choice(OPENINGS).format(topic=problem.topic)}", f"We are given: {problem.question}"]
    loop = [problem.steps[0], rng.choice(LOOPS)]
    return "\n\n".join(lines + loop * 60)
