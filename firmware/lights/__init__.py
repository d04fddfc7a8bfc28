"""From the lights of the session to the LEDs of a strip."""
