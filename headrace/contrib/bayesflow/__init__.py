"""What 1.15 keeps of contrib's bayesflow."""
