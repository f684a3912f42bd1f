"""What leaves a run: files of a selection, other trainers' training data, whole runs as Rollscope's own."""
