"""What can be planted: every kind of finding, in the words of somebody who knows its definition and not its detector."""

from __future__ import annotations

from bench.insight_report.troubles.rewards import REWARDS
from bench.insight_report.troubles.text import TEXTS
from bench.insight_report.troubles.tools_and_tokens import TOOLS_AND_TOKENS

TROUBLES = (*TEXTS, *REWARDS, *TOOLS_AND_TOKENS)
