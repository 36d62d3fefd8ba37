"""tf.image: images."""

HOMES: dict[str, str] = {
    "ops.image.resizing": "ResizeMethod resize_area resize_bicubic resize_bilinear resize_image_with_pad resize_images "
    "resize_nearest_neighbor",
}
