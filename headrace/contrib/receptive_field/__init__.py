"""How much of an image each feature of a convolutional network sees."""
