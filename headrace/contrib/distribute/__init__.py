"""`tf.contrib.distribute`: strategies as 1.x had them there, steps of training and what runs them."""
