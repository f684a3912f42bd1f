"""Ask a run anything: filter, sort, search, statistics, SQL. One engine and one language for every front door."""
