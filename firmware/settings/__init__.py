"""The configuration: one TOML file, checked to the last key."""
