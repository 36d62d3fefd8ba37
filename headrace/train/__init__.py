"""Training: optimizers and their slots, learning rates that decay, moving averages, the global step."""
