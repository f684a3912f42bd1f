"""Files that hold rows and are not lines: parquet, archives, databases. Read by range, never whole, never trusted."""
