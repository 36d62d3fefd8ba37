"""tf.contrib.distributions.bijectors."""

HOMES = {
    "distributions.affine_bijectors": "Affine AffineLinearOperator AffineScalar",
    "distributions.composed_bijectors": "Chain Inline Invert",
    "distributions.elementwise_bijectors": "AbsoluteValue Exp PowerTransform Sigmoid Softplus Softsign Square",
    "distributions.flows": "BatchNormalization ConditionalBijector MaskedAutoregressiveFlow "
    "masked_autoregressive_default_template masked_dense real_nvp_default_template",
    "distributions.matrix_bijectors": "CholeskyOuterProduct FillTriangular MatrixInverseTriL Ordered Reshape "
    "ScaleTriL SoftmaxCentered TransformDiagonal",
    "distributions.scalar_bijectors": "Gumbel Kumaraswamy SinhArcsinh Weibull",
    "distributions.vector_bijectors": "Permute RealNVP",
    "distributions.bijector": "Bijector Identity",
}
