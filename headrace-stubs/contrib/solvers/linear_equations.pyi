# Made by tools/make_stubs.py.

from headrace.contrib.solvers.linear_equations import conjugate_gradient as conjugate_gradient
