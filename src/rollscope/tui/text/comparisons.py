"""Samples beside each other as documents: a group as a tree, two samples word by word."""

from __future__ import annotations

from rollscope.query.insights.comparisons import GroupTree, SampleDiff
from rollscope.tui.palette import number
from rollscope.tui.text.document import Document, StyledSpan, TextBlock, one_line, shown

#: Characters of a shared stretch that are shown at either end of it.
SHOWN_CHARS = 120


def group_document(tree: GroupTree) -> Document:
    title = f"{tree.split}/{tree.step}, group {tree.group}: {len(tree.samples)} samples; samples × mean reward of each branch"
    blocks = [TextBlock(title=one_line(title), title_look="role", rule=True, gap=False)]
    depths: list[int] = []
    for place, node in enumerate(tree.nodes):
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
        indent = "  " * depths[place]
        count = f"{len(node.samples)} × {number(node.reward_mean)}  "
        mark = f"  ◀ rewards differ most here, by {number(node.parting)}" if place == tree.parts_most else ""
        text = count + _shortened(node.text, node.words) + mark
        spans = [StyledSpan(0, len(count), "strong")]
        if mark:
            spans.append(StyledSpan(len(text) - len(mark), len(text), "warning"))
        blocks.append(TextBlock(text=text, spans=spans, label=indent, indent=indent, gap=False))
        for ended in node.ended:
            sample = tree.samples[ended]
            line = f"└ {sample.address}  reward {number(sample.reward)}"
            blocks.append(TextBlock(look="note", text=one_line(line), label=indent, indent=indent, gap=False))
    return Document(blocks)


def _shortened(text: str, words: int) -> str:
    if len(text) <= 3 * SHOWN_CHARS:
        return one_line(text)
    return f"{one_line(text[:SHOWN_CHARS])} … {words:,} words … {one_line(text[-SHOWN_CHARS:])}"


def diff_document(diff: SampleDiff) -> Document:
    """What only the first has in brackets, what only the second has in braces: it reads without colours too."""
    signs = {"delete": ("[-", "-]", "diff.delete"), "insert": ("{+", "+}", "diff.insert"), "equal": ("", "", "")}
    pieces: list[str] = []
    spans: list[StyledSpan] = []
    length = 0
    for piece in diff.pieces:
        before, after, look = signs[piece.kind]
        text = f"{before}{shown(piece.text)}{after}"
        if look:
            spans.append(StyledSpan(length, length + len(text), look))
        pieces.append(text)
        length += len(text)
    sides = (f"{side.run} {side.address}, reward {number(side.reward)}" for side in (diff.a, diff.b))
    title = "[-{}-] {{+{}+}}".format(*sides)
    shared = f"{diff.equal_words:,} words in both; {diff.a_words:,} and {diff.b_words:,} in each"
    if not diff.compared:
        shared += "; too long to compare: what lies between their equal ends is shown as changed"
    return Document(
        [
            TextBlock(look="note", text=shared, title=one_line(title), title_look="role", rule=True),
            TextBlock(text="".join(pieces), spans=spans),
        ]
    )
