"""Builds the page into the package when it is not built yet, so that `pip install` from a checkout gives a whole viewer.

A wheel always ships the page. A source distribution ships it too: installing from one needs no Node. An editable install
does not build it: who works on the Python side needs no Node either, and the server says how to build the page.

Where a C compiler is found, three files of C are compiled, too: they make features of texts and searches several times
faster, and indexing by a fifth, and change no value. A wheel with them is named after its platform; with ROLLSCOPE_PURE=1
the wheel is without them, and for every platform.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STATIC = Path("src/rollscope/server/static")
#: Each becomes a library beside it.
COMPILED = (
    Path("src/rollscope/features/batches/text_scan.c"),
    Path("src/rollscope/formats/lines/utf8_check.c"),
    Path("src/rollscope/query/search/literal_scan.c"),
)


class PageBuildHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        if version != "editable" and not (root / STATIC / "index.html").is_file():
            build_page(root)
        # Not committed, so not found by hatchling itself, which leaves out what git ignores.
        if (root / STATIC).is_dir():
            build_data["artifacts"].append(f"/{STATIC.as_posix()}/**")
        if self.target_name == "wheel" and not os.environ.get("ROLLSCOPE_PURE"):
            libraries = [library for source in COMPILED if (library := compile_library(root, source))]
            build_data["artifacts"] += [f"/{library.as_posix()}" for library in libraries]
            if libraries and version != "editable":
                build_data["pure_python"] = False
                build_data["tag"] = f"py3-none-{platform_tag()}"


def compile_library(root: Path, source: Path) -> Path | None:
    """Where it is. Without a compiler, or when it fails, the package works without it."""
    compiler = os.environ.get("CC") or next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if not (root / source).is_file() or compiler is None or sys.platform == "win32":
        return None
    library = source.with_name(f"_{source.stem}.so")
    made = root / library.with_name(f"{library.name}.{os.getpid()}")
    options = ["-std=c99", "-O3", "-Wall", "-Wextra", "-shared", "-fPIC"]
    try:
        done = subprocess.run([*compiler.split(), *options, "-o", str(made), str(root / source)], check=False)
    except OSError:
        return None
    if done.returncode != 0:
        sys.stderr.write(f"rollscope: {source.name} could not be compiled; the package works without it, slower\n")
        return None
    made.replace(root / library)  # at once: a process that has the old one mapped keeps it
    return library


def platform_tag() -> str:
    """Of this machine: the library needs its C library and nothing of Python."""
    from packaging.tags import platform_tags

    return next(platform_tags())


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
