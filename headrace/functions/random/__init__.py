"""Random functions that are composed of several ops."""
