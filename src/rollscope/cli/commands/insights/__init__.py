"""Commands that compare: samples, groups, runs, selections and tokens."""
