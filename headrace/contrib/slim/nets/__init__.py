"""Networks for images, with the variable names that published checkpoints have."""
