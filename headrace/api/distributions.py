"""tf.distributions: probability distributions."""

HOMES: dict[str, str] = {
    "distributions.base": "Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED ReparameterizationType",
    "distributions.discrete": "Bernoulli Categorical DirichletMultinomial Multinomial",
    "distributions.divergence": "RegisterKL kl_divergence",
    "distributions.gamma": "Beta Dirichlet Exponential Gamma",
    "distributions.normal": "Laplace Normal StudentT Uniform",
}
