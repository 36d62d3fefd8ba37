"""`tf.lookup` and `tf.contrib.lookup`: tables and what fills them."""
