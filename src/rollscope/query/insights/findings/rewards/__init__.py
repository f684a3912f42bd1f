"""What is known of rewards: their range and bands, their parts, and how they are spread."""
