"""Linear models of series with a hidden state."""
