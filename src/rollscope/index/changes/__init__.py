"""What changed in a run's files since they were indexed."""
