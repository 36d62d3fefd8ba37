"""tf.contrib.image: transforms and warps."""

HOMES = {
    "contrib.image.transforms": "angles_to_projective_transforms compose_transforms flat_transforms_to_matrices "
    "matrices_to_flat_transforms rotate transform translate translations_to_projective_transforms",
    "contrib.image.warping": "dense_image_warp interpolate_spline sparse_image_warp",
}
