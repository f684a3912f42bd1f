"""Rows of a run, by place: their order and numbers, which of them count, and the texts that they stand for."""
