"""The recorder in other people's trainers. Each module imports its framework only when it is used.

- :mod:`.trl`: GRPO and RLOO of TRL, and what builds on them.
- :mod:`.slime`: slime, miles and Relax, by two flags.
- :mod:`.verl`, :mod:`.openrlhf`, :mod:`.skyrl`, :mod:`.rllm`, :mod:`.verifiers`, :mod:`.tinker`.
- :mod:`.messages`: samples from OpenAI- or verl-style lists of messages.
"""

from __future__ import annotations
