"""What programs stand on besides graphs: flags, the main function, logging, and the base of their tests."""
