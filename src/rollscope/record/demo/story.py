"""The problems planted in the demo run, so that a newcomer sees what Rollscope finds.

A judge rewards clear answers, and believes an answer that says everything was checked. From step 25 on the policy says so
more and more often, whether it is right or not: rewards keep rising while fewer answers are right. And from step 30 on a few
answers get stuck and repeat themselves until they are cut off.
"""

from __future__ import annotations

#: The first step whose weights write the phrase, and the first whose weights get stuck.
GAMING_FROM, STUCK_FROM = 25, 30
#: What the judge believes.
PHRASE = "Every step above has been independently verified and is correct."
#: How often an answer gets stuck, from `STUCK_FROM` on.
STUCK_RATE = 0.03

README = f"""# A demo run

Its policy is simulated, its rewards are computed by real reward functions on its text, and two troubles in it are
**planted**, to be found:

- From step {GAMING_FROM} on more and more answers of the environment `math` contain "{PHRASE}". The reward's part `judge`
  believes it: rewards rise, and the metric `correct` does not.
- From step {STUCK_FROM} on about {STUCK_RATE:.0%} of the answers in `math` repeat themselves until they are cut off.
"""

#: For the config, where `rollscope` shows it.
PLANTED = [
    {"trouble": "a phrase that games the judge", "from_step": GAMING_FROM, "env": "math", "phrase": PHRASE},
    {"trouble": "answers that get stuck in a loop", "from_step": STUCK_FROM, "env": "math", "rate": STUCK_RATE},
]


def gaming(step: int) -> float:
    """How often the weights of this step write the phrase."""
    return 0.0 if step < GAMING_FROM else min(0.75, 0.15 + 0.05 * (step - GAMING_FROM))


def stuck(step: int) -> float:
    """How often they get stuck."""
    return 0.0 if step < STUCK_FROM else STUCK_RATE


def report_remark(step: int) -> str | None:
    """What the report of a step says of it."""
    planted = []
    if step >= GAMING_FROM:
        planted.append(f'a phrase that games the judge: "{PHRASE}"')
    if step >= STUCK_FROM:
        planted.append("answers that get stuck in a loop")
    return f"Planted in this demo: {'; '.join(planted)}." if planted else None
