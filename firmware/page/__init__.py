"""The web page of the table: what it shows, and how it reaches everybody who looks."""
