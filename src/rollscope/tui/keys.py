"""Every key of the viewer, once: the app's bindings, the help screen and the documentation's test are made of this.

What the page has too has the same letter there (`web/src/state/keys.ts`), except where a terminal's habits have it: `j` and
`k` page as in `less`, so that turns are `J` and `K`; `c` copies.
"""

from __future__ import annotations

from typing import NamedTuple

from textual.binding import Binding


class Section(NamedTuple):
    title: str
    bindings: list[Binding]


def _key(keys: str, action: str, description: str, shown: str = "", *, first: bool = False) -> Binding:
    """`first` keys are looked at before the widget that has the focus (see `RollscopeApp.check_action`)."""
    return Binding(keys, action, description, show=False, key_display=shown or keys.replace(",", " "), priority=first)


SECTIONS: list[Section] = [
    Section(
        "Samples",
        [
            _key("n", "sample(1)", "next sample"),
            _key("p", "sample(-1)", "previous sample"),
            _key("N", "step(1)", "next step"),
            _key("P", "step(-1)", "previous step"),
            _key("]", "group(1)", "next group"),
            _key("[", "group(-1)", "previous group"),
            _key("a", "all_steps", "one step, or all steps in one list"),
            _key("D", "discarded", "kept, discarded or all samples"),
            _key("/,i", "filter", "filter, such as reward < 0.2", "/ i", first=True),
            _key("I", "findings", "findings: what is worth reading; enter opens the samples of one, esc returns"),
            _key("F", "follow", "follow the newest step"),
            _key("r", "reload", "read again from disk"),
        ],
    ),
    Section(
        "Find",
        [
            _key("f", "find", "find; a leading / makes it a regular expression", first=True),
            _key("enter", "next_match", "next match, in this sample and the following ones"),
            _key("backspace", "previous_match", "previous match in this sample", "⌫"),
            _key("escape", "clear", "clear the search, or stop it while it runs", "esc"),
        ],
    ),
    Section(
        "Reading",
        [
            _key("j", "page(1)", "page down"),
            _key("k", "page(-1)", "page up"),
            _key("h", "sideways(-1)", "page left"),
            _key("l", "sideways(1)", "page right"),
            _key("g", "edge('top')", "top"),
            _key("G", "edge('bottom')", "bottom"),
            _key("J", "turn(1)", "next turn"),
            _key("K", "turn(-1)", "previous turn"),
            _key("x,X", "failing_turn", "next turn that went wrong", "x X"),
            _key("s", "table", "plain text or table of fields"),
            _key("e", "thinking", "fold or unfold thinking"),
            _key("m", "markdown", "markdown rendered, or as it is"),
            _key("R", "raw", "raw: the whole sample as one string, nothing masked"),
            _key("T", "tokens", "tokens coloured by a recorded value; again: the next value, at last the text"),
            _key("o", "outlier(1)", "next token with an unusual value"),
            _key("O", "outlier(-1)", "previous token with an unusual value"),
            _key("full_stop", "token(1)", "next token", "."),
            _key("comma", "token(-1)", "previous token", ","),
            _key("t", "group_tree", "the group as a tree: what its responses share, and where rewards differ"),
            _key("d", "diff", "mark this sample; again on another one: both word by word"),
            _key("w", "wrap", "wrap long lines, or not (h and l then go sideways)"),
        ],
    ),
    Section(
        "Screen",
        [
            _key("tab,right", "focus_next", "next widget", "tab →"),
            _key("shift+tab,left", "focus_previous", "previous widget", "←"),
            _key("b", "sidebar", "show or hide the sidebar"),
            _key("c", "copy", "copy the sample's text"),
            _key("C", "copy_address", "copy the sample's address"),
            _key("E", "pager", "open the sample in $PAGER"),
            _key(
                "exclamation_mark", "skipped", "data problems: lines that could not be read, and what was guessed", "!"
            ),
            _key("?", "help", "this help"),
            _key("q", "quit", "quit"),
        ],
    ),
]

BINDINGS: list[Binding] = [binding for section in SECTIONS for binding in section.bindings]
