"""Features: numbers and words about a sample's texts, as columns. Pure functions, one module a subject, all plug-ins."""
