"""The terminal's own colours for Textual's widgets, and the layout of the screen."""

from __future__ import annotations

from textual.theme import Theme

#: Only the sixteen colours and the defaults of the terminal, so that it fits light and dark ones. What marks a place
#: (cursor, selection) is reversed rather than coloured, so that it is there without colours too.
TERMINAL = Theme(
    name="rollscope",
    ansi=True,
    primary="ansi_blue",
    secondary="ansi_cyan",
    warning="ansi_red",
    error="ansi_red",
    success="ansi_green",
    accent="ansi_cyan",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "block-cursor-background": "ansi_default",
        "block-cursor-foreground": "ansi_default",
        "block-cursor-text-style": "reverse",
        "screen-selection-background": "ansi_blue",
        "screen-selection-foreground": "ansi_bright_white",
        "border": "ansi_blue",
        "border-blurred": "ansi_default",
        "input-cursor-background": "ansi_default",
        "input-cursor-foreground": "ansi_default",
        "input-cursor-text-style": "reverse",
        "input-selection-background": "ansi_blue",
        "input-selection-foreground": "ansi_bright_white",
        "scrollbar": "ansi_blue",
        "scrollbar-hover": "ansi_blue",
        "scrollbar-active": "ansi_bright_blue",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "scrollbar-corner-color": "ansi_default",
    },
)

CSS = """
Screen { layout: vertical; overflow: hidden; }
ModalScreen { background: transparent; }
#header { height: 1; padding: 0 1; text-style: none; }
#body { height: 1fr; }
#sidebar { width: 28; padding: 0 1 0 1; border-right: vkey ansi_blue; }
.-wide #sidebar { width: 38; }
#sidebar Dropdown { height: 1; }
#sidebar .heading { height: 1; margin-top: 1; color: ansi_default; text-style: dim; }
#sidebar Sparkline { height: 2; }
ListView { overflow-x: hidden; }
#fields { height: 1fr; min-height: 2; }
ScrollView { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
TextPane { height: 1fr; padding: 0 0 0 1; overflow-y: scroll; overflow-x: auto; }
#reading { width: 1fr; }
TurnStrip { height: 1; padding: 0 1; }
#status { height: 1; padding: 0 1; }
#prompt { height: auto; display: none; padding: 0 1; }
#prompt Horizontal { height: 1; }
#prompt-name { width: auto; text-style: bold; }
#prompt-input { width: 1fr; }
#prompt-error { height: auto; color: ansi_red; text-style: bold; display: none; }
#pick { border: round ansi_blue; padding: 0 1; background: ansi_default; }
#pick ListView { height: 1fr; }
.columns { height: 1; text-style: dim; }
#paper { background: ansi_default; margin: 1 2; border: round ansi_blue; padding: 0 1; }
"""
