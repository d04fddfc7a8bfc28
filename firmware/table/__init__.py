"""The daemon of one table: its matches, the referee between its devices, the loop that keeps time."""
