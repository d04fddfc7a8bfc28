"""The configuration: one TOML file; how the page is reached; the settings of the lamps."""
