"""`python -m headrace script.py …`, and every command of `headrace`."""

from headrace.cli import main

if __name__ == "__main__":
    main()
