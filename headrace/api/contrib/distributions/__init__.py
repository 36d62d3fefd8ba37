"""tf.contrib.distributions: distributions, and bijectors."""

HOMES = {
    "contrib.distributions.combining": "Independent MixtureSameFamily",
    "contrib.distributions.elementwise": "Cauchy HalfNormal InverseGamma Logistic Poisson",
    "contrib.distributions.mvn": "MultivariateNormalDiag MultivariateNormalDiagWithSoftplusScale "
    "MultivariateNormalFullCovariance MultivariateNormalLinearOperator MultivariateNormalTriL",
    "contrib.distributions.shaping": "fill_triangular fill_triangular_inverse matrix_diag_transform tridiag",
    "distributions.base": "Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED ReparameterizationType",
    "distributions.common": "softplus_inverse",
    "distributions.discrete": "Bernoulli Categorical DirichletMultinomial Multinomial",
    "distributions.divergence": "RegisterKL kl_divergence",
    "distributions.gamma": "Beta BetaWithSoftplusConcentration Dirichlet Exponential ExponentialWithSoftplusRate Gamma "
    "GammaWithSoftplusConcentrationRate",
    "distributions.normal": "Laplace LaplaceWithSoftplusScale Normal NormalWithSoftplusScale StudentT "
    "StudentTWithAbsDfSoftplusScale Uniform",
    "distributions.transformed": "TransformedDistribution",
}
