"""Whether everything on the table and under it works."""
