# Made by tools/make_stubs.py.

__all__ = ['monte_carlo']
from headrace.contrib.bayesflow import monte_carlo as monte_carlo
