"""The demo's training loop: two environments, groups of eight, evaluations, discards, checkpoints."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from rollscope.record import logtree
from rollscope.record.demo.grading import grade_math
from rollscope.record.demo.mathematics import MathProblem, make_problem
from rollscope.record.demo.policy import Policy, answer_math, difficulty, policy_at
from rollscope.record.demo.stock_desk import make_task, play
from rollscope.record.demo.story import PLANTED, README, gaming, report_remark, stuck
from rollscope.record.demo.tokens import count_tokens, pieces, token_arrays
from rollscope.record.group import ASYNC_STALENESS, Group
from rollscope.record.iteration import Iteration
from rollscope.record.run import Run, start

GROUP_SIZE = 8
MATH_GROUPS, DESK_GROUPS = 5, 3
#: Problems come back: a run goes over its dataset more than once.
MATH_POOL, DESK_POOL = 90, 40
MAX_TOKENS = 1_024
MAX_STALENESS = 2
EVAL_EVERY, EVAL_PROBLEMS, EVAL_SAMPLES = 10, 6, 4
#: Seconds between two steps of the made-up clock, so that time axes look like a training run's.
STEP_SECONDS = 94.0

MATH_SYSTEM = (
    "Solve the problem. Think between <think> and </think>, then write the solution and put the final answer into "
    "\\boxed{}."
)
EVALS = ("Held-out math", "Olympiad (avg@4)", "stock desk")


def write_demo(directory: Path, *, steps: int = 40, progress: Callable[[int, int], None] | None = None) -> None:
    """Write a whole run into ``directory``. ``progress`` is called with (steps done, steps)."""
    clock = _Clock(time.time() - steps * STEP_SECONDS)
    config = {
        "simulated": True,
        "note": "The policy of this run is simulated; its rewards are computed by real reward functions on its text.",
        "planted": PLANTED,
        "model_name": "demo/simulated-policy",
        "learning_rate": 4e-5,
        "lr_schedule": "cosine",
        "group_size": GROUP_SIZE,
        "groups_per_batch": MATH_GROUPS + DESK_GROUPS,
        "max_tokens": MAX_TOKENS,
        "max_staleness": MAX_STALENESS,
        "loss_fn": "importance_sampling",
        "temperature": 1.0,
        "eval_every": EVAL_EVERY,
        "envs": {"math": {"problems": MATH_POOL}, "stock_desk": {"tasks": DESK_POOL, "max_turns": 6}},
        "seed": 7,
    }
    with start(directory, config, total_steps=steps, num_groups_to_log=3, code_dir=directory, clock=clock) as run:
        _declare(run)
        run.write_text("README.md", README)
        loop = _Loop(run, steps, clock)
        for step in range(steps):
            if step % EVAL_EVERY == 0 or step == steps - 1:
                loop.evaluate(step)
            loop.train(step)
            if step % EVAL_EVERY == EVAL_EVERY - 1 or step == steps - 1:
                loop.save(step)
            if progress is not None:
                progress(step + 1, steps)


def _declare(run: Run) -> None:
    share = {"min": 0.0, "max": 1.0}
    run.declare_range(
        "math",
        reward={"min": -0.2, "max": 1.3},
        metrics={
            "correct": share,
            "format": share,
            "has_boxed": share,
            "repetition": {**share, "higher_is_better": False},
        },
    )
    run.declare_range(
        "stock_desk",
        reward={"min": -0.3, "max": 1.1},
        metrics={"correct": share, "tool_errors": {"min": 0, "max": 3, "higher_is_better": False}},
    )


class _Clock:
    """Time as the run would have seen it."""

    def __init__(self, start_at: float) -> None:
        self.now = start_at

    def __call__(self) -> float:
        return self.now


class _Loop:
    def __init__(self, run: Run, steps: int, clock: _Clock) -> None:
        self._run = run
        self._steps = steps
        self._clock = clock
        self._rng = Random(7)  # noqa: S311  # the same demo for everyone

    def _policy(self, step: int) -> Policy:
        policy = policy_at(max(0, step) / max(1, self._steps - 1))
        policy.gaming, policy.stuck = gaming(step), stuck(step)
        return policy

    # -- training ----------------------------------------------------------------------------------------------------------

    def train(self, step: int) -> None:
        rng = self._rng
        with self._run.iteration(step) as iteration:
            if (remark := report_remark(step)) is not None:
                logtree.log_text(remark)
            for place in range(MATH_GROUPS + DESK_GROUPS):
                lag = rng.choices([0, 1, 2, 3, 4], weights=[52, 26, 14, 5, 3])[0] if step >= 4 else 0
                if place % 8 in (1, 4, 6):
                    self._desk_group(iteration, step, lag)
                else:
                    self._math_group(iteration, step, lag, with_tokens=place == 0)
                self._clock.now += STEP_SECONDS / 12
            iteration.log_metrics(self._optimizer(step))
        self._clock.now += STEP_SECONDS / 3

    def _math_group(self, iteration: Iteration, step: int, lag: int, *, with_tokens: bool) -> None:
        problem = make_problem(f"m{self._rng.randrange(MATH_POOL)}")
        policy = self._policy(step - lag)
        with self._open_math(iteration, problem, sampling_step=step - lag, discard_zero_advantage=True) as group:
            logtree.log_text(f"{problem.topic}: {problem.id}")
            texts, rewards = [], []
            for place in range(GROUP_SIZE):
                text, reward = self._math_sample(group, policy, problem, crash=self._rng.random() < 0.006, place=place)
                texts.append(text)
                rewards.append(reward)
            self._settle(group, rewards, lag)
            if with_tokens:
                for sample, text in list(zip(group.samples, texts))[:2]:
                    advantage = sample.line.advantage or 0.0
                    sample.set_tokens(token_arrays(text, advantage, policy.entropy, self._rng))

    def _open_math(self, iteration: Iteration, problem: MathProblem, **more: Any) -> Group:
        return iteration.group(
            env="math",
            dataset=problem.topic,
            tags=["hard"] if difficulty(problem) > 0.25 else [],
            prompt=[
                {"role": "system", "content": MATH_SYSTEM, "tokens": count_tokens(MATH_SYSTEM)},
                {"role": "user", "content": problem.question, "tokens": count_tokens(problem.question)},
            ],
            prompt_id=problem.id,
            prompt_tokens=count_tokens(MATH_SYSTEM + problem.question),
            golden_answers=_golden(problem),
            **more,
        )

    def _math_sample(
        self, group: Group, policy: Policy, problem: MathProblem, *, crash: bool, place: int
    ) -> tuple[str, float | None]:
        """Sample, cut at the token limit, grade, record."""
        if crash:
            group.add(response="", status="failed", stop_reason="error")
            return "", None
        tokens = pieces(answer_math(policy, problem, self._rng))
        cut = len(tokens) > MAX_TOKENS
        text = "".join(tokens[:MAX_TOKENS])
        grade = grade_math(text, problem.answer, min(len(tokens), MAX_TOKENS))
        if place < 2:
            logtree.table_from_dict(grade.rewards, caption=f"Reward of rollout {place}")
        group.add(
            response=text,
            reward=grade.total,
            rewards=grade.rewards,
            metrics=grade.metrics,
            completion_tokens=min(len(tokens), MAX_TOKENS),
            stop_reason="length" if cut else "stop",
            turns=[{"reward": grade.total, "metrics": {}, "prompt_tokens": count_tokens(MATH_SYSTEM + problem.question),
                    "completion_tokens": min(len(tokens), MAX_TOKENS)}],
            timings={"sampling": round(0.3 + len(tokens) / 85, 3), "grading": round(self._rng.uniform(0.002, 0.02), 4)},
        )  # fmt: skip
        return text, grade.total

    def _desk_group(self, iteration: Iteration, step: int, lag: int) -> None:
        task = make_task(f"d{self._rng.randrange(DESK_POOL)}")
        with iteration.group(
            env="stock_desk",
            dataset=task.kind,
            prompt_id=task.id,
            golden_answers={"answer": f"{float(task.answer):g}"},
            sampling_step=step - lag,
            discard_zero_advantage=True,
        ) as group:
            rewards = [self._desk_sample(group, self._policy(step - lag), task) for _ in range(GROUP_SIZE)]
            self._settle(group, rewards, lag)

    def _desk_sample(self, group: Group, policy: Policy, task: Any) -> float | None:
        episode = play(policy, task, self._rng)
        sample = group.add(
            episode.messages,
            turns=episode.turns,
            final_reward=episode.final_reward,
            rewards={"answer": episode.final_reward, "tools": round(sum(turn["reward"] for turn in episode.turns), 4)},
            metrics=episode.metrics,
            stop_reason=episode.stop_reason,
        )
        return sample.line.reward

    def _settle(self, group: Group, rewards: Sequence[float | None], lag: int) -> None:
        """Group-relative advantages; a group whose weights are too old is not trained on."""
        group.set_advantages(group_advantages(rewards))
        if lag > MAX_STALENESS:
            group.discard(ASYNC_STALENESS, staleness=lag)

    def _optimizer(self, step: int) -> dict[str, Any]:
        """Numbers of the update that a simulation has to make up."""
        rng, share = self._rng, step / max(1, self._steps - 1)
        policy = self._policy(step)
        spike = 3.5 if step in (17, 31) else 1.0
        sampling, training = STEP_SECONDS * rng.uniform(0.55, 0.65), STEP_SECONDS * rng.uniform(0.24, 0.3)
        return {
            "optim/lr": 4e-5 * min(1.0, (step + 1) / 4) * 0.5 * (1 + math.cos(math.pi * share)),
            "optim/grad_norm": spike * (0.35 + 0.5 * math.exp(-4 * share)) * rng.uniform(0.85, 1.15),
            "optim/loss": -0.02 + 0.06 * math.exp(-3 * share) + rng.gauss(0, 0.008),
            "optim/clip_frac": max(0.0, 0.09 * math.exp(-2 * share) + rng.gauss(0, 0.01)),
            "entropy": policy.entropy * rng.uniform(0.96, 1.04),
            "kl_sample_train_v1": abs(rng.gauss(0.0012, 0.0005)) * spike,
            "kl_sample_train_v2": abs(rng.gauss(0.0016, 0.0006)) * spike,
            "kl_policy_base": 0.04 * share**0.7 * rng.uniform(0.9, 1.1),
            "time/sampling": sampling,
            "time/train": training,
            "time/total": sampling + training + rng.uniform(1, 4),
            "throughput/tokens_per_second": rng.uniform(5_200, 6_400),
        }

    # -- evaluation --------------------------------------------------------------------------------------------------------

    def evaluate(self, step: int) -> None:
        for name in EVALS:
            with self._run.evaluation(name, step) as iteration:
                for number in range(EVAL_PROBLEMS):
                    self._eval_group(iteration, name, step, number)
                iteration.log_metrics({"time/total": STEP_SECONDS / 5 * self._rng.uniform(0.9, 1.1)})
            self._clock.now += 6

    def _eval_group(self, iteration: Iteration, name: str, step: int, number: int) -> None:
        policy = self._policy(step)
        if name == "stock desk":
            task = make_task(f"held-out-{number}")
            with iteration.group(
                env="stock_desk",
                prompt_id=task.id,
                golden_answers={"answer": f"{float(task.answer):g}"},
                sampling_step=step,
            ) as group:
                for _ in range(EVAL_SAMPLES):
                    self._desk_sample(group, policy, task)
            return
        hard = name.startswith("Olympiad")
        weaker = msgspec.structs.replace(policy, skill=policy.skill * 0.55)
        problem = make_problem(f"{'olympiad' if hard else 'held-out'}-{number}")
        with self._open_math(iteration, problem, sampling_step=step) as group:
            for place in range(EVAL_SAMPLES):
                self._math_sample(group, weaker if hard else policy, problem, crash=False, place=place)

    def save(self, step: int) -> None:
        path = self._run.directory / "checkpoints" / f"{step + 1:06d}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'{{"step": {step + 1}, "note": "a simulated policy has no weights"}}\n')
        self._run.checkpoint(
            step=step + 1,
            state_path=path,
            sampler_path=path,
            loop_state={"batch": step + 1, "rng": self._rng.getstate()[0]},
        )


def _golden(problem: MathProblem) -> dict[str, str]:
    """The answer, and as a decimal where it is a fraction."""
    decimal = {} if problem.answer.denominator == 1 else {"decimal": f"{float(problem.answer):.6g}"}
    return {"answer": problem.latex, **decimal}


def group_advantages(rewards: Iterable[float | None]) -> list[float | None]:
    """(reward − mean) / standard deviation within the group; all 0 when the rewards do not differ."""
    values = list(rewards)
    known = [value for value in values if value is not None]
    if not known:
        return [None] * len(values)
    mean, spread = statistics.fmean(known), statistics.pstdev(known)
    return [
        None if value is None else (0.0 if spread < 1e-9 else round((value - mean) / (spread + 1e-6), 4))
        for value in values
    ]
