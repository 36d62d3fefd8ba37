"""tf.contrib.sparsemax."""

HOMES = {"contrib.sparsemax": "sparsemax sparsemax_loss"}
