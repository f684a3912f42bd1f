"""The names of `rollscope.render` are there when they are used, and not before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rollscope import render


@pytest.mark.parametrize("name", render.__all__)
def test_every_name_leads_to_its_module(name: str) -> None:
    assert getattr(render, name) is not None
    if name.islower():
        assert f":func:`{name}`" in (render.__doc__ or ""), "the table at the top has it"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'unheard'"):
        _ = render.unheard


def test_importing_it_compiles_no_templates() -> None:
    code = "import sys, rollscope.render; sys.exit('rollscope.render.templates' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
