"""An iteration's samples in its logtree: a transcript per trajectory of the logged groups, and for every group its
Trajectory Details."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rollscope.model import Message, Part
from rollscope.record.logtree.content import conversation_node, data_table, table_nodes
from rollscope.record.logtree.scopes import section_nodes
from rollscope.record.logtree.tree import Child, Node, node
from rollscope.record.samples.ranges import DeclaredRanges
from rollscope.record.samples.schema import RolloutLine
from rollscope.record.samples.summaries import summary_line

#: The prompt's start that a group's heading shows.
TITLE_CHARS = 90


def transcript_data(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages as chat APIs have them: ``content`` is text where there is only text, else a list of parts."""
    return [_message_data(message) for message in messages]


def _message_data(message: Message) -> dict[str, Any]:
    calls = [part for part in message.parts if part.type == "tool_call"]
    rest = [part for part in message.parts if part.type != "tool_call"]
    out: dict[str, Any] = {"role": message.role}
    if all(part.type in ("text", "tool_result") for part in rest):
        out["content"] = "".join(part.text for part in rest)
    else:
        out["content"] = [_part_data(part) for part in rest]
    if calls:
        out["tool_calls"] = [
            {"type": "function", "id": part.id, "function": {"name": part.name, "arguments": part.content}}
            for part in calls
        ]
    for name in ("name", "tool_call_id", "tokens", "trainable"):
        if (value := getattr(message, name)) is not None:
            out[name] = value
    return out


def _part_data(part: Part) -> dict[str, Any]:
    if part.type == "thinking":
        return {"type": "thinking", "thinking": part.content, **({} if part.closed else {"closed": False})}
    if part.type == "media":
        return {"type": part.name or "media", "text": part.text}
    return {"type": part.type, "text": part.text}


def group_nodes(
    lines: Sequence[RolloutLine], ranges: DeclaredRanges, *, section: Node, body: Node, transcripts: bool
) -> None:
    """Fill a group's section: badges in its heading, transcripts if it is a logged group, Trajectory Details always."""
    heading = section.children[0]
    assert isinstance(heading, Node)
    heading.children[1:] = [*_title(lines), *_group_badges(lines, ranges)]
    if transcripts:
        for line in lines:
            body.add(trajectory_node(line, ranges))
    body.add(details_node(lines))


def _title(lines: Sequence[RolloutLine]) -> Iterable[Child]:
    """Whose group it is, and how its prompt begins."""
    if not lines:
        return
    prompt = next((m for m in reversed(lines[0].messages) if m.turn is None and m.role != "system"), None)
    start = " ".join(prompt.text.split()) if prompt else ""
    about = " · ".join(filter(None, [lines[0].env, start[:TITLE_CHARS] + ("…" if len(start) > TITLE_CHARS else "")]))
    if about:
        yield node("span", f" {about} ", css="lt-sub")


def trajectory_node(line: RolloutLine, ranges: DeclaredRanges) -> Node:
    summary = node("summary", f"Trajectory {line.index} ", *badges(line, ranges))
    transcript = conversation_node(
        transcript_data(line.messages),
        group_idx=line.group,
        traj_idx=line.index,
        reward=line.reward,
        advantage=line.advantage,
        status=line.status,
        discard_reason=line.discard_reason,
    )
    parts: list[Child] = [summary]
    if line.golden_answers:
        parts += table_nodes(["Golden answer", ""], list(line.golden_answers.items()))
    if line.rewards:
        parts += table_nodes(["Reward component", "Value"], list(line.rewards.items()))
    parts.append(transcript)
    parts += _diagnostics(line)
    return node("details", *parts, css="lt-traj", data__group=line.group, data__trajectory=line.index)


def _diagnostics(line: RolloutLine) -> list[Node]:
    rows = [[turn.index, name, value] for turn in line.turns for name, value in turn.logs.items()]
    return table_nodes(["Turn", "Log", ""], rows, "Diagnostics") if rows else []


def _group_badges(lines: Sequence[RolloutLine], ranges: DeclaredRanges) -> Iterable[Child]:
    """The mean reward, each discard reason once (with its count where it is not all), then every sample's reward."""
    rewards = [line.reward for line in lines if line.reward is not None]
    if rewards:
        yield node("span", f"mean {sum(rewards) / len(rewards):.3g}", css="lt-badge")
    for reason, count in Counter(line.discard_reason for line in lines if line.discard_reason).items():
        text = reason.replace("_", " ") + (f" ×{count}" if count < len(lines) else "")
        yield node("span", text, css="lt-badge lt-badge-discard")
    yield node("span", *(badge for line in lines for badge in _reward_badge(line, ranges)), css="lt-badges")


def _reward_badge(line: RolloutLine, ranges: DeclaredRanges) -> list[Child]:
    if line.reward is None and "reward" not in line.nonfinite:
        return []
    text = f"{line.reward:+.3g}" if line.reward is not None else line.nonfinite["reward"]
    return [node("span", text, css="lt-reward", style=_hue(line, ranges)), " "]


def badges(line: RolloutLine, ranges: DeclaredRanges) -> list[Child]:
    out: list[Child] = []
    if line.status in ("truncated", "aborted", "failed"):
        out.append(node("span", line.status, css="lt-badge lt-badge-bad"))
    if line.discard_reason:
        out.append(node("span", line.discard_reason.replace("_", " "), css="lt-badge lt-badge-discard"))
    return _reward_badge(line, ranges) + [part for badge in out for part in (badge, " ")]


def _hue(line: RolloutLine, ranges: DeclaredRanges) -> str | None:
    """Red to green over the declared range; no colour where none is declared."""
    bounds = ranges.reward_bounds(line.env)
    if bounds is None or line.reward is None:
        return None
    low, high = bounds
    share = min(1.0, max(0.0, (line.reward - low) / (high - low)))
    return f"--hue:{120 * share:.0f}"


#: Columns of a group's table: one row per trajectory.
TOTAL_COLUMNS = (
    "trajectory", "turns", "ob_len", "ac_len", "total_reward", "final_reward", "advantage", "status", "stop_reason",
    "discard_reason", "staleness",
)  # fmt: skip


def details_node(lines: Sequence[RolloutLine]) -> Node:
    """Turn-level numbers of a group: one row per trajectory and, where one has several turns, one per turn."""
    section, body = section_nodes("Trajectory Details", 3, {})
    summaries = [summary_line(line) for line in lines]
    totals = [
        [
            item.traj_idx, len(item.steps), line.prompt_tokens, line.completion_tokens, item.total_reward,
            item.final_reward, line.advantage, line.status, line.stop_reason, line.discard_reason, line.staleness,
        ]
        for item, line in zip(summaries, lines)
    ]  # fmt: skip
    body.add(_table("Episodes", TOTAL_COLUMNS, totals))
    names = tuple(dict.fromkeys(name for item in summaries for step in item.steps for name in step.metrics))
    if names or any(len(item.steps) > 1 for item in summaries):
        turns = [
            [
                item.traj_idx,
                step.step_idx,
                step.ob_len,
                step.ac_len,
                step.reward,
                *(step.metrics.get(name) for name in names),
            ]
            for item in summaries
            for step in item.steps
        ]
        body.add(_table("Turns", ("trajectory", "turn", "ob_len", "ac_len", "reward", *names), turns))
    return section


def _table(title: str, columns: Sequence[str], rows: list[list[Any]]) -> Node:
    """Without the columns that say nothing."""
    kept = [place for place in range(len(columns)) if any(row[place] is not None for row in rows)]
    return data_table([columns[place] for place in kept], [[row[place] for place in kept] for row in rows], title)
