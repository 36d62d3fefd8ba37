"""tf.contrib.image: transforms and warps, colours, regions."""

HOMES = {
    "contrib.image.distorting": "adjust_hsv_in_yiq random_hsv_in_yiq",
    "contrib.image.regions": "bipartite_match connected_components",
    "contrib.image.transforms": "angles_to_projective_transforms compose_transforms rotate transform translate "
    "translations_to_projective_transforms",
    "ops.image.stereograms": "single_image_random_dot_stereograms",
    "kernels.image.transform_matrices": "flat_transforms_to_matrices matrices_to_flat_transforms",
    "contrib.image.warping": "dense_image_warp interpolate_spline sparse_image_warp",
}

SPELLED = {
    "adjust_yiq_hsv": "contrib.image.distorting.adjust_hsv_in_yiq",
    "random_yiq_hsv": "contrib.image.distorting.random_hsv_in_yiq",
}
