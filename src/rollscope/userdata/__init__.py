"""What people wrote: notes and labels, layouts of charts. It lies beside the runs, in the user's data directory or a folder
that was named, and never in a run."""
