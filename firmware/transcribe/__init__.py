"""A match out of a film: watched with nobody pressing anything, and written down."""
