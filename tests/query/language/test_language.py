"""The names of the filter language are there when they are asked for, and not before."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rollscope.query import language


@pytest.mark.parametrize("name", language.__all__)
def test_every_name_leads_to_its_module(name: str) -> None:
    assert getattr(language, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="unheard"):
        _ = language.unheard


def test_a_list_without_a_filter_loads_no_parser() -> None:
    code = "import sys, rollscope.query.language; sys.exit('rollscope.query.language.parser' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
