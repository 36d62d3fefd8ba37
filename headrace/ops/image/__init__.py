"""Images: resampling, colours, boxes, and the functions of `tf.image` over them."""
