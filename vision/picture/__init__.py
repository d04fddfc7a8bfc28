"""A file or a camera's frame becomes an array, or a clear refusal; how sharp it is."""
