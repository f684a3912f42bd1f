"""What each trainer's files mean: find them, scan them into index rows, load one sample whole.

One module per format. A new one is one file and its tests; CONTRIBUTING.md shows it from start to finish.
"""
