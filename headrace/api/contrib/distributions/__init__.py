"""tf.contrib.distributions: distributions, and bijectors."""

HOMES = {
    "distributions.autoregressive": "Autoregressive",
    "distributions.combining": "Independent MixtureSameFamily",
    "distributions.counting": "Binomial Geometric NegativeBinomial",
    "distributions.one_hot": "ExpRelaxedOneHotCategorical OneHotCategorical RelaxedBernoulli RelaxedOneHotCategorical",
    "distributions.derived": "Chi2 Chi2WithAbsDf InverseGammaWithSoftplusConcentrationRate Kumaraswamy "
    "MultivariateNormalDiagPlusLowRank SinhArcsinh VectorSinhArcsinhDiag",
    "distributions.diffeomixture": "VectorDiffeomixture",
    "distributions.location_scale": "Cauchy HalfNormal InverseGamma Logistic Poisson",
    "distributions.mixtures": "ConditionalDistribution ConditionalTransformedDistribution Mixture",
    "distributions.mvn": "MultivariateNormalDiag MultivariateNormalDiagWithSoftplusScale "
    "MultivariateNormalFullCovariance MultivariateNormalLinearOperator MultivariateNormalTriL",
    "distributions.points": "Deterministic QuantizedDistribution VectorDeterministic",
    "distributions.quadrature": "PoissonLogNormalQuadratureCompound "
    "quadrature_scheme_lognormal_gauss_hermite quadrature_scheme_lognormal_quantiles "
    "quadrature_scheme_softmaxnormal_gauss_hermite quadrature_scheme_softmaxnormal_quantiles",
    "contrib.distributions.regression_heads": "estimator_head_distribution_regression",
    "distributions.reshaping": "BatchReshape",
    "distributions.triangular_shaping": "fill_triangular fill_triangular_inverse matrix_diag_transform tridiag",
    "distributions.statistics": "SeedStream assign_log_moving_mean_exp assign_moving_mean_variance "
    "auto_correlation moving_mean_variance normal_conjugates_known_scale_posterior "
    "normal_conjugates_known_scale_predictive percentile reduce_weighted_logsumexp",
    "distributions.vectors": "VectorExponentialDiag VectorLaplaceDiag",
    "distributions.wishart": "WishartCholesky WishartFull",
    "distributions.base": "Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED ReparameterizationType",
    "distributions.parameters": "softplus_inverse",
    "distributions.discrete": "Bernoulli Categorical DirichletMultinomial Multinomial",
    "distributions.divergence": "RegisterKL kl_divergence",
    "distributions.gamma": "Beta BetaWithSoftplusConcentration Dirichlet Exponential ExponentialWithSoftplusRate Gamma "
    "GammaWithSoftplusConcentrationRate",
    "distributions.normal": "Laplace LaplaceWithSoftplusScale Normal NormalWithSoftplusScale StudentT "
    "StudentTWithAbsDfSoftplusScale Uniform",
    "distributions.transformed": "TransformedDistribution",
}

SPELLED = {
    # Before 1.0; those that are functions or are called with arguments by position.
    "BaseDistribution": "distributions.base.Distribution",
    "MultivariateNormalCholesky": "distributions.mvn.MultivariateNormalTriL",
    "MultivariateNormalDiagWithSoftplusStDev": "distributions.mvn.MultivariateNormalDiagWithSoftplusScale",
    "MultivariateNormalFull": "distributions.mvn.MultivariateNormalFullCovariance",
    "NormalWithSoftplusSigma": "distributions.normal.NormalWithSoftplusScale",
    "kl": "distributions.divergence.kl_divergence",
}
