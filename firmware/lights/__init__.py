"""From what the session lights to the LEDs of a strip."""
