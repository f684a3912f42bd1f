"""``*_rollout_summaries.jsonl``: each trajectory in numbers, in the page's key names."""

from __future__ import annotations

from rollscope.model import Turn
from rollscope.record.samples.schema import SCHEMA_VERSION, RolloutLine, SummaryLine, SummaryStep


def summary_line(line: RolloutLine) -> SummaryLine:
    """``total_reward`` is the sum of the steps' rewards and ``final_reward``. What the training loop did not say stays
    null: where it gave only a total, that is the reward of the only step, or the final reward of several."""
    steps = _steps(line)
    final = line.final_reward
    if final is None and line.reward is not None:
        given = [step.reward for step in steps if step.reward is not None]
        final = line.reward - sum(given) if given or steps else line.reward
    return SummaryLine(
        schema_version=SCHEMA_VERSION,
        split=line.split,
        iteration=line.step,
        group_idx=line.group,
        traj_idx=line.index,
        tags=line.tags,
        sampling_client_step=line.sampling_step,
        total_reward=line.reward,
        final_reward=final,
        trajectory_metrics=dict(line.metrics),
        steps=steps,
        final_ob_len=line.total_tokens,
    )


def _steps(line: RolloutLine) -> list[SummaryStep]:
    turns = line.turns or _bare_turns(line)
    count = len(turns)
    return [
        SummaryStep(
            step_idx=place,
            ob_len=turn.prompt_tokens,
            ac_len=turn.completion_tokens,
            reward=turn.reward,
            episode_done=place == count - 1,
            metrics=turn.metrics,
            logs=turn.logs,
        )
        for place, turn in enumerate(turns)
    ]


def _bare_turns(line: RolloutLine) -> list[Turn]:
    """The turns of a sample that came without numbers of its own for them."""
    count = line.num_turns or 0
    if count == 1:
        reward = None if line.reward is None else line.reward - (line.final_reward or 0.0)
        return [
            Turn(index=0, reward=reward, prompt_tokens=line.prompt_tokens, completion_tokens=line.completion_tokens)
        ]
    return [Turn(index=place) for place in range(count)]
