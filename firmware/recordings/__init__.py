"""Sessions with their pictures: keeping one at the table, refereeing one again, looking one up."""
