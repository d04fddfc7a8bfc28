"""The program on the device: loop, journal, configuration, command line, web page."""
