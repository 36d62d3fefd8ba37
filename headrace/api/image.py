"""tf.image: images."""

HOMES: dict[str, str] = {
    "ops.array.patches": "extract_image_patches extract_patches",
    "functions.image.adjusting": "adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_jpeg_quality "
    "adjust_saturation per_image_standardization random_brightness random_contrast random_hue random_jpeg_quality "
    "random_saturation",
    "functions.image.boxes": "combined_non_max_suppression crop_and_resize crop_and_resize_v2 draw_bounding_boxes "
    "draw_bounding_boxes_v2 extract_glimpse extract_glimpse_v2 non_max_suppression non_max_suppression_padded "
    "non_max_suppression_with_overlaps non_max_suppression_with_scores sample_distorted_bounding_box "
    "sample_distorted_bounding_box_v2",
    "functions.image.conversion": "convert_image_dtype grayscale_to_rgb hsv_to_rgb rgb_to_grayscale rgb_to_hsv rgb_to_yiq "
    "rgb_to_yuv yiq_to_rgb yuv_to_rgb",
    "functions.image.cropping": "central_crop crop_to_bounding_box pad_to_bounding_box resize_image_with_crop_or_pad",
    "ops.image.decode": "decode_and_crop_jpeg decode_bmp decode_gif decode_jpeg decode_png extract_jpeg_shape",
    "functions.image.decode": "decode_image is_jpeg",
    "ops.image.encode": "encode_jpeg encode_png",
    "functions.image.orienting": "flip_left_right flip_up_down random_flip_left_right random_flip_up_down rot90 "
    "transpose_image",
    "functions.image.quality": "image_gradients psnr sobel_edges ssim ssim_multiscale total_variation",
    "functions.image.resizing": "ResizeMethod resize_area resize_bicubic resize_bilinear resize_image_with_pad "
    "resize_image_with_pad_v2 resize_images resize_images_v2 resize_nearest_neighbor",
    "functions.random.crop": "random_crop",
}

SPELLED: dict[str, str] = {
    "non_max_suppression_overlaps": "functions.image.boxes.non_max_suppression_with_overlaps",
    "resize": "functions.image.resizing.resize_images",
    "resize_with_crop_or_pad": "functions.image.cropping.resize_image_with_crop_or_pad",
    "transpose": "functions.image.orienting.transpose_image",
    # Spellings of 0.x.
    "per_image_whitening": "functions.image.adjusting.per_image_standardization",
}

ABSENT = {
    "generate_bounding_box_proposals": "the binaries of 1.15 have no such op either; decode the boxes and use "
    "tf.image.non_max_suppression",
}
