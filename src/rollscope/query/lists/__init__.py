"""Lists of samples and groups: of one step or of any steps, filtered, sorted, counted."""
