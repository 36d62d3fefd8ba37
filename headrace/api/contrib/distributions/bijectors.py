"""tf.contrib.distributions.bijectors."""

HOMES = {
    "contrib.distributions.affine_bijectors": "Affine AffineLinearOperator AffineScalar",
    "contrib.distributions.composed_bijectors": "Chain Inline Invert",
    "contrib.distributions.elementwise_bijectors": "AbsoluteValue Exp PowerTransform Sigmoid Softplus Softsign Square",
    "contrib.distributions.flows": "BatchNormalization ConditionalBijector MaskedAutoregressiveFlow "
    "masked_autoregressive_default_template masked_dense real_nvp_default_template",
    "contrib.distributions.matrix_bijectors": "CholeskyOuterProduct FillTriangular MatrixInverseTriL Ordered Reshape "
    "ScaleTriL SoftmaxCentered TransformDiagonal",
    "contrib.distributions.scalar_bijectors": "Gumbel Kumaraswamy SinhArcsinh Weibull",
    "contrib.distributions.vector_bijectors": "Permute RealNVP",
    "distributions.bijector": "Bijector Identity",
}
