"""tf.contrib.distributions.bijectors."""

HOMES = {
    "contrib.distributions.bijectors": "AbsoluteValue Affine AffineLinearOperator AffineScalar Chain Exp Inline Invert "
    "Permute PowerTransform RealNVP Sigmoid Softplus Softsign Square",
    "distributions.bijector": "Bijector Identity",
}
