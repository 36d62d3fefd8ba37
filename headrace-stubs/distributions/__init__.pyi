# Made by tools/make_stubs.py.

__all__ = ['Bernoulli', 'Beta', 'Categorical', 'Dirichlet', 'DirichletMultinomial', 'Distribution', 'Exponential', 'FULLY_REPARAMETERIZED', 'Gamma', 'Laplace', 'Multinomial', 'NOT_REPARAMETERIZED', 'Normal', 'RegisterKL', 'ReparameterizationType', 'StudentT', 'Uniform', 'kl_divergence']
from headrace.distributions.discrete import Bernoulli as Bernoulli
from headrace.distributions.gamma import Beta as Beta
from headrace.distributions.discrete import Categorical as Categorical
from headrace.distributions.gamma import Dirichlet as Dirichlet
from headrace.distributions.discrete import DirichletMultinomial as DirichletMultinomial
from headrace.distributions.base import Distribution as Distribution
from headrace.distributions.gamma import Exponential as Exponential
from headrace.distributions.base import FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED
from headrace.distributions.gamma import Gamma as Gamma
from headrace.distributions.normal import Laplace as Laplace
from headrace.distributions.discrete import Multinomial as Multinomial
from headrace.distributions.base import NOT_REPARAMETERIZED as NOT_REPARAMETERIZED
from headrace.distributions.normal import Normal as Normal
from headrace.distributions.divergence import RegisterKL as RegisterKL
from headrace.distributions.base import ReparameterizationType as ReparameterizationType
from headrace.distributions.normal import StudentT as StudentT
from headrace.distributions.normal import Uniform as Uniform
from headrace.distributions.divergence import kl_divergence as kl_divergence
