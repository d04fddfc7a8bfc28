"""What is kept of a match: the journal, the archive made from it, the proofs, the report."""
