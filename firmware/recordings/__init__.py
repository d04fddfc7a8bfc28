"""Sessions with their pictures: keeping one at the table, refereeing one again, showing its pictures."""
