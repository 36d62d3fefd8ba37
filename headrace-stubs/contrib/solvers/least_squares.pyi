# Made by tools/make_stubs.py.

from headrace.contrib.solvers.least_squares import cgls as cgls
