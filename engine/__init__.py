"""The rules of the table: pure, standard library only, no clock, no thread, no file."""
