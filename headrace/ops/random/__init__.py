"""Random numbers: seeded as TensorFlow gives them, unseeded as fast as torch gives them."""
