# Made by tools/make_stubs.py.

__all__ = ['conjugate_gradient']
from headrace.contrib.solvers.linear_equations import conjugate_gradient as conjugate_gradient
