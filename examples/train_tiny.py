"""A real policy-gradient run, small enough for one core: a character-level policy learns to add, recorded live.

    python examples/train_tiny.py runs/tiny        # about a minute
    rollscope runs/tiny                            # in a second terminal, while it trains

The policy is autoregressive: a small network reads the characters so far and samples the next one, until it writes a full
stop. It starts out random, and nobody tells it what a sum is: it samples groups of answers to each problem, a reward
function checks them, and GRPO makes the answers that did better than their group more likely. Some groups arrive late, as
in asynchronous trainers, and those that are too old are discarded; groups whose answers all got the same reward teach
nothing and are discarded too. Stop it whenever you like: started again, it goes on.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rollscope import record

ALPHABET = "0123456789+=."
PAD = len(ALPHABET)
STOP = ALPHABET.index(".")
PROMPT_CHARS, ANSWER_CHARS = 4, 3
WINDOW = PROMPT_CHARS + ANSWER_CHARS
EMBEDDING, HIDDEN = 16, 192

GROUP_SIZE = 12
GROUPS = 32
#: How many steps late a group arrives, and how often: some rollouts take longer than others.
DELAYS, DELAY_SHARES = (0, 1, 2, 3, 4), (0.86, 0.06, 0.04, 0.02, 0.02)
MAX_STALENESS = 2
EPOCHS, CLIP, ENTROPY_BONUS = 4, 0.2, 0.12
LEARNING_RATE = 3e-3

Array = NDArray[Any]


class Problem(NamedTuple):
    a: int
    b: int

    @property
    def prompt(self) -> str:
        return f"{self.a}+{self.b}="

    @property
    def answer(self) -> str:
        return str(self.a + self.b)


EVERY_PROBLEM = [Problem(a, b) for a in range(10) for b in range(10)]


def reward(problem: Problem, text: str) -> dict[str, float]:
    """1 for the right sum, a little for one that is close, 0.1 for any number that ends in a full stop."""
    if not (text.endswith(".") and text[:-1].isdigit()):
        return {"correct": 0.0, "close": 0.0, "format": 0.0}
    error = abs(int(text[:-1]) - int(problem.answer))
    return {"correct": float(error == 0), "close": 0.15 * max(0.0, 1 - error / 4) * (error > 0), "format": 0.1}


class Policy:
    """Next-character probabilities from the characters so far: embeddings, one hidden layer, softmax."""

    def __init__(self, rng: np.random.Generator) -> None:
        embedding = rng.normal(0, 0.3, (PAD + 1, EMBEDDING))
        for digit in range(10):  # digits look like the quantities they stand for; everything else is learnt
            embedding[digit, :10] = [*np.where(np.arange(9) < digit, 1.0, -1.0), digit / 5 - 1]
        self.weights: dict[str, Array] = {
            "embedding": embedding,
            "w1": rng.normal(0, (WINDOW * EMBEDDING) ** -0.5, (WINDOW * EMBEDDING, HIDDEN)),
            "b1": np.zeros(HIDDEN),
            "w2": rng.normal(0, 0.5 * HIDDEN**-0.5, (HIDDEN, PAD)),
            "b2": np.zeros(PAD),
        }
        self.weights = {name: value.astype(np.float32) for name, value in self.weights.items()}
        self.first = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self.second = {name: np.zeros_like(value) for name, value in self.weights.items()}
        self.updates = 0

    def forward(self, context: Array) -> tuple[Array, Array, Array]:
        x = self.weights["embedding"][context].reshape(len(context), -1)
        hidden = np.tanh(x @ self.weights["w1"] + self.weights["b1"])
        logits = hidden @ self.weights["w2"] + self.weights["b2"]
        exponent = np.exp(logits - logits.max(axis=1, keepdims=True))
        return x, hidden, exponent / exponent.sum(axis=1, keepdims=True)

    def update(self, context: Array, actions: Array, advantages: Array, old: Array, count: int) -> dict[str, float]:
        """One step of Adam on the clipped policy-gradient loss with an entropy bonus. ``count`` is how many characters the
        whole batch has, discarded groups included: few groups with something to teach make a small step."""
        x, hidden, probabilities = self.forward(context)
        rows = np.arange(len(actions))
        ratio = probabilities[rows, actions] / old
        active = np.where(advantages > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        log_probabilities = np.log(probabilities + 1e-9)
        entropy = -(probabilities * log_probabilities).sum(axis=1, keepdims=True)
        d_logits = probabilities.copy()
        d_logits[rows, actions] -= 1
        d_logits *= (advantages * ratio * active)[:, None]
        d_logits += ENTROPY_BONUS * probabilities * (log_probabilities + entropy)
        d_logits /= count
        d_hidden = d_logits @ self.weights["w2"].T * (1 - hidden**2)
        d_x = (d_hidden @ self.weights["w1"].T).reshape(-1, EMBEDDING)
        d_embedding = np.zeros_like(self.weights["embedding"])
        np.add.at(d_embedding, context.reshape(-1), d_x)
        gradients = {
            "embedding": d_embedding,
            "w1": x.T @ d_hidden,
            "b1": d_hidden.sum(axis=0),
            "w2": hidden.T @ d_logits,
            "b2": d_logits.sum(axis=0),
        }
        self._adam(gradients)
        return {
            "optim/grad_norm": float(np.sqrt(sum(float((g**2).sum()) for g in gradients.values()))),
            "optim/clip_frac": float(1 - active.mean()),
            "kl_sample_train_v1": float((np.log(old) - np.log(probabilities[rows, actions])).mean()),
            "entropy": float(entropy.mean()),
        }

    def _adam(self, gradients: dict[str, Array]) -> None:
        self.updates += 1
        for name, gradient in gradients.items():
            self.first[name] = 0.9 * self.first[name] + 0.1 * gradient
            self.second[name] = 0.99 * self.second[name] + 0.01 * gradient**2
            mean = self.first[name] / (1 - 0.9**self.updates)
            spread = np.sqrt(self.second[name] / (1 - 0.99**self.updates))
            self.weights[name] -= LEARNING_RATE * mean / (spread + 1e-8)

    def save(self, path: Path) -> None:
        state: dict[str, Any] = {"updates": self.updates}
        for kind, group in self._state().items():
            state |= {f"{kind}/{name}": value for name, value in group.items()}
        np.savez(path, **state)

    def load(self, path: str) -> None:
        with np.load(path) as stored:
            self.updates = int(stored["updates"])
            for kind, group in self._state().items():
                for name in group:
                    group[name] = stored[f"{kind}/{name}"]

    def _state(self) -> dict[str, dict[str, Array]]:
        return {"weights": self.weights, "first": self.first, "second": self.second}


class Rollouts(NamedTuple):
    """Answers to several problems, ``size`` of them each, as the arrays that training needs."""

    problems: list[Problem]
    size: int
    step: int
    contexts: Array  # sample, position, window
    actions: Array  # sample, position; -1 after the end
    probabilities: Array  # sample, position
    entropies: Array  # sample, position

    def text(self, sample: int) -> str:
        return "".join(ALPHABET[action] for action in self.actions[sample] if action >= 0)

    def part(self, place: int) -> Rollouts:
        """One problem's group."""
        rows = slice(place * self.size, (place + 1) * self.size)
        arrays = (self.contexts, self.actions, self.probabilities, self.entropies)
        return Rollouts([self.problems[place]], self.size, self.step, *(array[rows] for array in arrays))


def sample(
    policy: Policy, problems: list[Problem], size: int, step: int, rng: np.random.Generator, *, greedy: bool
) -> Rollouts:
    """Write answers, character by character."""
    count = len(problems) * size
    text = np.full((count, WINDOW), PAD)
    for place, problem in enumerate(problems):
        text[place * size : (place + 1) * size, :PROMPT_CHARS] = [ALPHABET.index(sign) for sign in problem.prompt]
    contexts = np.full((count, ANSWER_CHARS, WINDOW), PAD)
    actions = np.full((count, ANSWER_CHARS), -1)
    chosen = np.ones((count, ANSWER_CHARS), dtype=np.float32)
    entropies = np.zeros((count, ANSWER_CHARS), dtype=np.float32)
    alive = np.ones(count, dtype=bool)
    for position in range(ANSWER_CHARS):
        contexts[:, position] = text
        _, _, probabilities = policy.forward(text)
        if greedy:
            action = probabilities.argmax(axis=1)
        else:
            action = (probabilities.cumsum(axis=1) < rng.random((count, 1))).sum(axis=1).clip(0, PAD - 1)
        actions[alive, position] = action[alive]
        text[alive, PROMPT_CHARS + position] = action[alive]
        chosen[:, position] = probabilities[np.arange(count), action]
        entropies[:, position] = -(probabilities * np.log(probabilities + 1e-9)).sum(axis=1)
        alive &= action != STOP
    return Rollouts(problems, size, step, contexts, actions, chosen, entropies)


class Graded(NamedTuple):
    """A group's rewards, and its advantages: all 0 when it is not to be trained on."""

    rewards: Array
    advantages: Array


def record_group(iteration: record.Iteration, rollouts: Rollouts, *, training: bool, tokens: bool = False) -> Graded:
    """Grade a group and record its samples."""
    problem = rollouts.problems[0]
    with iteration.group(
        prompt=problem.prompt,
        prompt_id=problem.prompt,
        env="addition",
        golden_answers={"sum": problem.answer},
        sampling_step=rollouts.step,
        prompt_tokens=PROMPT_CHARS,
        discard_zero_advantage=training,
    ) as group:
        totals = np.zeros(rollouts.size)
        for place in range(rollouts.size):
            text = rollouts.text(place)
            parts = reward(problem, text)
            totals[place] = sum(parts.values())
            length = len(text)
            arrays: dict[str, Any] = {
                "ids": rollouts.actions[place, :length],
                "strings": list(text),
                "logprobs": np.log(rollouts.probabilities[place, :length]),
                "entropy": rollouts.entropies[place, :length],
            }
            group.add(
                response=text,
                reward=totals[place],
                rewards=parts,
                metrics={"correct": parts["correct"], "format": parts["format"] > 0},
                completion_tokens=length,
                stop_reason="stop" if text.endswith(".") else "length",
            ).set_tokens(arrays if tokens else {})
        advantages = (totals - totals.mean()) / (totals.std() + 0.1)
        group.set_advantages(advantages)
        staleness = iteration.step - rollouts.step
        if training and staleness > MAX_STALENESS:
            group.discard(record.ASYNC_STALENESS, staleness=staleness)
            advantages = np.zeros_like(advantages)
    return Graded(totals, advantages)


class Sampler:
    """Samples groups with the current weights and hands them out when they arrive."""

    def __init__(self) -> None:
        self._under_way: list[tuple[int, Rollouts]] = []

    def arrivals(self, policy: Policy, step: int, rng: np.random.Generator) -> list[Rollouts]:
        problems = [EVERY_PROBLEM[place] for place in rng.integers(len(EVERY_PROBLEM), size=GROUPS)]
        sampled = sample(policy, problems, GROUP_SIZE, step, rng, greedy=False)
        delays = rng.choice(DELAYS, size=GROUPS, p=DELAY_SHARES)
        self._under_way += [(step + int(delay), sampled.part(place)) for place, delay in enumerate(delays)]
        arrived = [group for due, group in self._under_way if due <= step]
        self._under_way = [(due, group) for due, group in self._under_way if due > step]
        return arrived


def train_step(run: record.Run, policy: Policy, step: int, sampler: Sampler, rng: np.random.Generator) -> float:
    """Sample, grade, record, learn. Gives the mean reward."""
    with run.iteration(step) as iteration:
        with iteration.timer("sampling"):
            taken = sampler.arrivals(policy, step, rng)
        with iteration.timer("grading"):
            grades = [
                record_group(iteration, group, training=True, tokens=place < 4) for place, group in enumerate(taken)
            ]
            batch = [(group, grade.advantages) for group, grade in zip(taken, grades) if grade.advantages.any()]
        metrics: dict[str, float] = {"optim/lr": LEARNING_RATE}
        if batch:
            with iteration.timer("train"):
                contexts = np.concatenate([group.contexts for group, _ in batch]).reshape(-1, WINDOW)
                actions = np.concatenate([group.actions for group, _ in batch]).reshape(-1)
                old = np.concatenate([group.probabilities for group, _ in batch]).reshape(-1)
                weight = np.repeat(np.concatenate([advantages for _, advantages in batch]), ANSWER_CHARS).astype(
                    np.float32
                )
                there = actions >= 0
                count = sum(int((group.actions >= 0).sum()) for group in taken)
                for _ in range(EPOCHS):
                    metrics |= policy.update(contexts[there], actions[there], weight[there], old[there], count)
        iteration.log_metrics(metrics)
    return float(np.mean([grade.rewards.mean() for grade in grades]))


def evaluate(run: record.Run, policy: Policy, step: int, rng: np.random.Generator) -> float:
    """Every problem once, with the most likely answer."""
    answers = sample(policy, EVERY_PROBLEM, 1, step, rng, greedy=True)
    with run.evaluation("all sums", step) as iteration:
        for place in range(len(EVERY_PROBLEM)):
            record_group(iteration, answers.part(place), training=False)
    right = sum(answers.text(place) == f"{problem.answer}." for place, problem in enumerate(EVERY_PROBLEM))
    return right / len(EVERY_PROBLEM)


def main() -> None:
    parser = argparse.ArgumentParser(description="Train a tiny policy to add, and record it.")
    parser.add_argument("directory", type=Path, help="where the run is recorded; an unfinished one is continued")
    parser.add_argument("--steps", type=int, default=200, help="train until this step (default: 200)")
    parser.add_argument("--eval-every", type=int, default=20, help="steps between evaluations (default: 20)")
    parser.add_argument("--save-every", type=int, default=25, help="steps between checkpoints (default: 25)")
    parser.add_argument("--seed", type=int, default=0, help="seed of all random numbers (default: 0)")
    options = parser.parse_args()

    run = record.start(options.directory, options, total_steps=options.steps)
    run.declare_range("addition", reward=(0.0, 1.1), metrics={"correct": (0.0, 1.0), "format": (0.0, 1.0)})
    rng = np.random.default_rng(options.seed)
    policy = Policy(rng)
    first = 0
    if (saved := run.resume()) is not None and saved.state_path is not None:
        policy.load(saved.state_path)
        rng.bit_generator.state = saved.loop_state["rng"]
        first = saved.loop_state["step"]
        print(f"going on from step {first} ({saved.state_path})")

    sampler = Sampler()
    started = time.perf_counter()
    for step in range(first, options.steps):
        if step % options.eval_every == 0:
            print(f"step {step:4d}  {evaluate(run, policy, step, rng):4.0%} of all sums right", flush=True)
        mean = train_step(run, policy, step, sampler, rng)
        if (step + 1) % options.save_every == 0 or step + 1 == options.steps:
            path = options.directory / "weights" / f"{step + 1:06d}.npz"
            path.parent.mkdir(exist_ok=True)
            policy.save(path)
            state = {"step": step + 1, "rng": rng.bit_generator.state}
            run.checkpoint(step=step + 1, state_path=path, loop_state=state)
            print(f"step {step + 1:4d}  mean reward {mean:.3f}  {time.perf_counter() - started:.0f} s", flush=True)
    if first < options.steps:
        print(f"step {options.steps:4d}  {evaluate(run, policy, options.steps, rng):4.0%} of all sums right")
    run.close()
    print(f"recorded in {options.directory}; look at it with: rollscope {options.directory}")


if __name__ == "__main__":
    main()
