# Made by tools/make_stubs.py.

__all__ = ['lanczos', 'least_squares', 'linear_equations', 'util']
from headrace.contrib.solvers import lanczos as lanczos
from headrace.contrib.solvers import least_squares as least_squares
from headrace.contrib.solvers import linear_equations as linear_equations
from headrace.contrib.solvers import util as util
