"""`diff` and `group`: samples beside each other."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rollscope.cli import output
from rollscope.cli.numbers import number, plural
from rollscope.cli.opening import one_run, run_at
from rollscope.cli.output import clean, for_reader, heading

if TYPE_CHECKING:
    from rollscope.cli.arguments import Arguments
    from rollscope.query.insights.comparisons import DiffSide, GroupTree
    from rollscope.query.insights.group_tree import TreeNode

RED, GREEN, DIM = "31", "32", "2"
#: Characters of a stretch that are shown at either end of it.
SHOWN_CHARS = 60


def diff(arguments: Arguments) -> None:
    run = one_run(arguments)
    other = run_at(arguments.other, arguments) if arguments.other else None
    found = run.diff(arguments.a, arguments.b, other=other)
    if arguments.json:
        output.write_json(found)
        return
    print(heading(f"[-{_side(found.a)}-] {{+{_side(found.b)}+}}"))
    for piece in found.pieces:
        text = for_reader(piece.text)
        if piece.kind == "delete":
            text = heading(f"[-{text}-]", RED)
        elif piece.kind == "insert":
            text = heading(f"{{+{text}+}}", GREEN)
        sys.stdout.write(text)
    print()
    output.talk(f"{found.equal_words:,} words in both; A has {found.a_words:,}, B has {found.b_words:,}")
    if not found.compared:
        output.talk("they are too long to compare: what lies between their equal ends is shown as changed")


def _side(side: DiffSide) -> str:
    return clean(f"{side.run} {side.address}, reward {number(side.reward)}")


def group(arguments: Arguments) -> None:
    tree = one_run(arguments).group_tree(arguments.address)
    if arguments.json:
        output.write_json(tree)
        return
    print(
        heading(
            clean(f"{tree.run} {tree.split}/{tree.step}, group {tree.group}: {plural(len(tree.samples), 'sample')}")
        )
    )
    depths: list[int] = []
    for place, node in enumerate(tree.nodes):
        depths.append(0 if node.parent is None else depths[node.parent] + 1)
        _print_node(tree, node, depths[place], marked=place == tree.parts_most)


def _print_node(tree: GroupTree, node: TreeNode, depth: int, *, marked: bool) -> None:
    count = f"{len(node.samples)} × {number(node.reward_mean)}"
    mark = f"  ◀ rewards differ most here, by {number(node.parting)}" if marked else ""
    indent = "  " * depth
    print(f"{indent}{heading(count)}  {_shortened(node)}{mark}")
    for place in node.ended:
        sample = tree.samples[place]
        print(heading(clean(f"{indent}  └ {sample.address}  reward {number(sample.reward)}"), DIM))


def _shortened(node: TreeNode) -> str:
    text = node.text
    if len(text) <= 3 * SHOWN_CHARS:
        return clean(text).strip()
    return f"{clean(text[:SHOWN_CHARS]).strip()} … {plural(node.words, 'word')} … {clean(text[-SHOWN_CHARS:]).strip()}"
