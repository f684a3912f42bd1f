"""``python -m rollscope`` is the command `rollscope`."""

from rollscope.cli.main import main

main()
