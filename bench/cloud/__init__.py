"""What runs and indexes in object stores cost, and that nothing is lost: the rows of a table, each with its bar."""
