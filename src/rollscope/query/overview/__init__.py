"""What a run consists of: its splits and steps, files, reports, and what went wrong while reading it."""
