"""Who may ask: Host, Origin, token, and the headers that every answer carries."""
