"""The commands, one module each; ``firmware.cli`` knows them by name and loads the one that is called."""
