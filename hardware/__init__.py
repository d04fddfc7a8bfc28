"""The things on the table: camera, buttons, lights, dice; each with a simulated twin."""
