"""Variables: the objects a program holds, the scopes that name and share them, and what initializes them."""
