"""Detectors: each looks for one kind of trouble in a split and yields what it found."""
