"""Names of helpers inside 1.15's own modules that programs and tests called: see `internal_names`."""

from __future__ import annotations

HELPERS = {
    ("ops.summary_ops_v2", "_INVALID_SCOPE_CHARACTERS"): "summary.summary_v2._NOT_IN_SCOPES",
    ("autograph.core.converter", "Base"): "autograph.transformers.Base",
    ("autograph.pyct.transformer", "Base"): "autograph.transformers.Base",
    ("ops.distributions.kullback_leibler", "_registered_kl"): "distributions.divergence._rule_for",
    ("ops.image_ops_impl", "ResizeMethodV1"): "image.ResizeMethod",
    ("ops.image_ops_impl", "_Assert3DImage"): "functions.image.checking.checked_single_image",
    ("ops.image_ops_impl", "_AssertAtLeast3DImage"): "functions.image.checking.checked_image",
    ("ops.image_ops_impl", "_AssertGrayscaleImage"): "functions.image.checking.checked_grayscale",
    ("ops.image_ops_impl", "_ImageDimensions"): "functions.image.checking.sizes_of",
    ("ops.image_ops_impl", "_assert"): "functions.image.checking.require",
    ("ops.image_ops_impl", "_is_tensor"): "functions.image.checking.is_tensor",
    ("ops.image_ops_impl", "_verify_compatible_image_shapes"): "functions.image.quality.checks_of_pair",
    ("ops.ragged.ragged_factory_ops", "_default_inner_shape_for_pylist"): (
        "functions.ragged.factory.default_inner_shape"
    ),
    ("ops.ragged.ragged_factory_ops", "_find_scalar_and_max_depth"): "functions.ragged.factory.depths_of",
}
