"""The manifest: which bytes of which files lie in which segment, and what each step amounts to, in immutable parts."""
