"""The recorder in other people's trainers. Each module imports its framework only when it is used.

- :mod:`.tinker`: a drop-in for the Tinker Cookbook's metrics logger.
- :mod:`.trl`: a callback for TRL's ``GRPOTrainer``.
- :mod:`.messages`: samples from OpenAI- or verl-style lists of messages.
"""

from __future__ import annotations
