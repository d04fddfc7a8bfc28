"""The build guide's drawings and tables, made from the default configuration, so that they cannot say
anything else than the program.

    python -m docs.drawings      writes docs/img/build-*.svg and the tables in docs/build-guide.md

A test makes them again and compares.
"""
