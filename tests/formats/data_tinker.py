"""Tinker Cookbook files as its writers make them: summaries lines, and logtree pages with their tables and headings."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.fixtures import write_jsonl

Node = dict[str, Any]
Record = dict[str, Any]


def step(index: int = 0, *, ob: int = 20, ac: int = 10, reward: float = 0.0, done: bool = True, **more: Any) -> Record:
    return {
        "step_idx": index,
        "ob_len": ob,
        "ac_len": ac,
        "reward": reward,
        "episode_done": done,
        "metrics": more.get("metrics", {}),
        "logs": more.get("logs", {}),
    }


def summary(group: int, trajectory: int, steps: Sequence[Record], *, iteration: int = 0, **more: Any) -> Record:
    final = more.get("final_reward", 0.0)
    return {
        "schema_version": 1,
        "split": "train",
        "iteration": iteration,
        "group_idx": group,
        "traj_idx": trajectory,
        "tags": more.get("tags", []),
        "sampling_client_step": more.get("sampled", iteration),
        "total_reward": sum(step["reward"] for step in steps) + final,
        "final_reward": final,
        "trajectory_metrics": more.get("metrics", {}),
        "steps": list(steps),
        "final_ob_len": 0,
    }


def answered(group: int, trajectory: int, reward: float, *, ac: int = 10) -> Record:
    """A single-turn trajectory, which logs no texts of its own."""
    metrics = {"format": 1.0, "correct": float(reward > 0)}
    return summary(group, trajectory, [step(reward=reward, ac=ac, metrics=metrics)])


def node(tag: str, *children: Node | str, data: Any = None, **attrs: str) -> Node:
    """Strings are escaped, as in the page itself."""
    made: Node = {
        "tag": tag,
        "attrs": {name.rstrip("_"): value for name, value in attrs.items()},
        "children": [html.escape(child) if isinstance(child, str) else child for child in children],
    }
    return made if data is None else {**made, "data": data}


def section(title: str, *children: Node, level: int = 2) -> Node:
    return node(
        "section", node(f"h{level}", title), node("div", *children, class_="lt-section-body"), class_="lt-section"
    )


def table(caption: str, values: Mapping[str, Any]) -> list[Node]:
    rows = [node("tr", node("td", key), node("td", str(value))) for key, value in values.items()]
    header = node("thead", node("tr", node("th", "key"), node("th", "value")))
    return [node("div", caption, class_="lt-table-caption"), node("table", header, node("tbody", *rows))]


def conversation(*messages: Mapping[str, Any]) -> Node:
    return node("div", data={"type": "conversation", "messages": list(messages)})


def said(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]
    return {"role": "assistant", "content": content, **more}


def asked(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def problem(prompt: str, response: str, reward: float) -> list[Node]:
    """What a single-turn environment logs of one trajectory."""
    facts = {"reference_answer": "x < 4 & y", "correct": reward > 0, "format_coef": 0.1, "reward": f"{reward:.3f}"}
    return [
        section("Prompt", conversation(asked(prompt)), level=3),
        section("Policy Response", conversation(said(response)), level=3),
        section("Reward", *table("Reward components", facts), level=3),
    ]


def details(trajectories: Iterable[Record]) -> Node:
    """Written when a group succeeded: the numbers of all its trajectories, rounded."""
    episodes = []
    for trajectory in trajectories:
        turns = [
            section(
                f"Turn {number}",
                *table(
                    "Step stats",
                    {"ob_len": turn["ob_len"], "ac_len": turn["ac_len"], "step_reward": f"{turn['reward']:.3f}"},
                ),
                level=6,
            )
            for number, turn in enumerate(trajectory["steps"], start=1)
        ]
        totals = table("Episode totals", {"total_return": f"{trajectory['total_reward']:.3f}"})
        title = f"Trajectory {trajectory['traj_idx']} Episode"
        episodes.append(section(title, section("Episode Details", *turns, *totals, level=5), level=4))
    return section("Trajectory Details", *episodes, level=3)


def group(logged: Sequence[Node], trajectories: Iterable[Record] | None) -> Node:
    """`trajectories` None: the group failed."""
    end = [] if trajectories is None else [details(trajectories)]
    return section("Group Rollout", *logged, *end)


def write_logtree(path: Path, *groups: Node) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    root = node("body", node("h1", "RL Iteration"), *groups, class_="lt-root")
    tree = {"title": "RL Iteration", "started_at": "2026-01-01T00:00:00.000000", "path": None, "root": root}
    path.write_text(json.dumps(tree, indent=2))
    return path


def write_iteration(
    run: Path, records: Sequence[Record], *groups: Node, iteration: int = 0, split: str = "train"
) -> Path:
    """One iteration in the layout of released versions; returns its summaries file."""
    folder = run / f"iteration_{iteration:06d}"
    if groups:
        write_logtree(folder / f"{split}_logtree.json", *groups)
    return write_jsonl(folder / f"{split}_rollout_summaries.jsonl", records)
