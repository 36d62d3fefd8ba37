# Made by tools/make_stubs.py.

from headrace.contrib.bayesflow import monte_carlo as monte_carlo
