"""How a share or a mean goes over the steps: since when, how much, and whether by chance."""
