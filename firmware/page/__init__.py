"""The web page of the table: what it shows, what players do on it, and how it is served."""
