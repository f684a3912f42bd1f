"""Builds the page into the package when it is not built yet, so that `pip install` from a checkout gives a whole viewer.

A wheel always ships the page. A source distribution ships it too: installing from one needs no Node. An editable install
does not build it: who works on the Python side needs no Node either, and the server says how to build the page.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STATIC = Path("src/rollscope/server/static")


class PageBuildHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version != "editable" and not (root / STATIC / "index.html").is_file():
            build_page(root)
        # Not committed, so not found by hatchling itself, which leaves out what git ignores.
        if (root / STATIC).is_dir():
            build_data["artifacts"].append(f"/{STATIC.as_posix()}/**")


def build_page(root: Path) -> None:
    web = root / "web"
    if not (web / "package.json").is_file():
        raise SystemExit("rollscope: neither the built page nor its sources (web/) are here; this copy is incomplete")
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit(
            "rollscope: Node 20 or newer is needed to build the page, and npm was not found.\n"
            "Install it from https://nodejs.org, or install Rollscope from PyPI, where the page is built already."
        )
    for arguments in (["ci", "--no-audit", "--no-fund", "--loglevel=error"], ["run", "--silent", "bundle"]):
        done = subprocess.run([npm, *arguments], cwd=web, check=False)
        if done.returncode != 0:
            raise SystemExit(f"rollscope: `npm {' '.join(arguments)}` failed in {web}; its output is above")
