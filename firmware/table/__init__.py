"""The device program: matches at one table, the referee between its devices, the loop that keeps time."""
