"""What a source says about each token: as it was recorded, and what follows from it."""
