"""tensorflow.examples.tutorials.mnist.mnist: the network of the tutorials."""

HOMES: dict[str, str] = {
    "datasets.mnist_model": "IMAGE_PIXELS IMAGE_SIZE NUM_CLASSES evaluation inference loss training",
}
