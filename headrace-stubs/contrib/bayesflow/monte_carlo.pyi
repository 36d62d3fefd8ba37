# Made by tools/make_stubs.py.

__all__ = ['expectation', 'expectation_importance_sampler', 'expectation_importance_sampler_logspace']
from headrace.contrib.bayesflow.monte_carlo import expectation as expectation
from headrace.contrib.bayesflow.monte_carlo import expectation_importance_sampler as expectation_importance_sampler
from headrace.contrib.bayesflow.monte_carlo import expectation_importance_sampler_logspace as expectation_importance_sampler_logspace
