"""tf.contrib.distributions.bijectors."""

HOMES = {
    "contrib.distributions.bijectors": "AbsoluteValue Affine AffineLinearOperator AffineScalar Chain Exp Inline Invert "
    "Permute PowerTransform RealNVP Sigmoid Softplus Softsign Square",
    "contrib.distributions.flows": "BatchNormalization ConditionalBijector MaskedAutoregressiveFlow "
    "masked_autoregressive_default_template masked_dense real_nvp_default_template",
    "contrib.distributions.matrix_bijectors": "CholeskyOuterProduct FillTriangular MatrixInverseTriL Ordered Reshape "
    "ScaleTriL SoftmaxCentered TransformDiagonal",
    "contrib.distributions.scalar_bijectors": "Gumbel Kumaraswamy SinhArcsinh Weibull",
    "distributions.bijector": "Bijector Identity",
}
