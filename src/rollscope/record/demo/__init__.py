"""A small but complete run, written in seconds through the real recorder, for people who want to look around first.

Its policy is simulated, and the run says so; its rewards are computed by real reward functions on the simulated text.
"""

from __future__ import annotations

from rollscope.record.demo.write import write_demo

__all__ = ["write_demo"]
