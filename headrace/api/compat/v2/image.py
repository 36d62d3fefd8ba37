"""tf.compat.v2.image: the names that mean the same in 1.x, and those that take other arguments there."""

HOMES = {
    "image": "adjust_brightness adjust_contrast adjust_gamma adjust_hue adjust_jpeg_quality adjust_saturation "
    "central_crop combined_non_max_suppression convert_image_dtype crop_to_bounding_box "
    "decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png encode_jpeg "
    "encode_png extract_jpeg_shape extract_patches flip_left_right flip_up_down grayscale_to_rgb "
    "hsv_to_rgb image_gradients is_jpeg non_max_suppression non_max_suppression_overlaps "
    "non_max_suppression_padded non_max_suppression_with_scores pad_to_bounding_box "
    "per_image_standardization psnr random_brightness random_contrast random_crop random_flip_left_right "
    "random_flip_up_down random_hue random_jpeg_quality random_saturation resize_with_crop_or_pad "
    "rgb_to_grayscale rgb_to_hsv rgb_to_yiq rgb_to_yuv rot90 sobel_edges ssim ssim_multiscale "
    "total_variation transpose yiq_to_rgb yuv_to_rgb",
}

SPELLED = {
    "resize": "image.resize_images_v2",
    "ResizeMethod": "functions.image.resizing.ResizeMethodV2",
    "extract_glimpse": "functions.image.boxes.extract_glimpse_v2",
    "resize_with_pad": "functions.image.resizing.resize_image_with_pad_v2",
    "sample_distorted_bounding_box": "functions.image.boxes.sample_distorted_bounding_box_v2",
    "crop_and_resize": "api.v2_arguments.image__crop_and_resize",
    "draw_bounding_boxes": "api.v2_arguments.image__draw_bounding_boxes",
}
