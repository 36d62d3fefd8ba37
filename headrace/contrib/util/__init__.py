"""tf.contrib.util: tensors as messages, and the ops a GraphDef uses."""
