"""tf.contrib.distributions: distributions, and bijectors."""

HOMES = {
    "contrib.distributions.autoregressive": "Autoregressive",
    "contrib.distributions.combining": "Independent MixtureSameFamily",
    "contrib.distributions.counting": "Binomial ExpRelaxedOneHotCategorical Geometric NegativeBinomial OneHotCategorical "
    "RelaxedBernoulli RelaxedOneHotCategorical",
    "contrib.distributions.derived": "Chi2 Chi2WithAbsDf InverseGammaWithSoftplusConcentrationRate Kumaraswamy "
    "MultivariateNormalDiagPlusLowRank SinhArcsinh VectorSinhArcsinhDiag",
    "contrib.distributions.diffeomixture": "VectorDiffeomixture",
    "contrib.distributions.elementwise": "Cauchy HalfNormal InverseGamma Logistic Poisson",
    "contrib.distributions.mixtures": "ConditionalDistribution ConditionalTransformedDistribution Mixture",
    "contrib.distributions.mvn": "MultivariateNormalDiag MultivariateNormalDiagWithSoftplusScale "
    "MultivariateNormalFullCovariance MultivariateNormalLinearOperator MultivariateNormalTriL",
    "contrib.distributions.points": "Deterministic QuantizedDistribution VectorDeterministic",
    "contrib.distributions.quadrature": "PoissonLogNormalQuadratureCompound "
    "quadrature_scheme_lognormal_gauss_hermite quadrature_scheme_lognormal_quantiles "
    "quadrature_scheme_softmaxnormal_gauss_hermite quadrature_scheme_softmaxnormal_quantiles",
    "contrib.distributions.regression_heads": "estimator_head_distribution_regression",
    "contrib.distributions.reshaping": "BatchReshape",
    "contrib.distributions.shaping": "fill_triangular fill_triangular_inverse matrix_diag_transform tridiag",
    "contrib.distributions.statistics": "SeedStream assign_log_moving_mean_exp assign_moving_mean_variance "
    "auto_correlation moving_mean_variance normal_conjugates_known_scale_posterior "
    "normal_conjugates_known_scale_predictive percentile reduce_weighted_logsumexp",
    "contrib.distributions.vectors": "VectorExponentialDiag VectorLaplaceDiag",
    "contrib.distributions.wishart": "WishartCholesky WishartFull",
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
