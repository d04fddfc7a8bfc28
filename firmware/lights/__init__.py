"""From the lights of the session to the LEDs of a strip. What shines for a doubt, a foul, a turn says
``engine.lamp_signals``."""
