# Made by tools/make_stubs.py.

from headrace.state.batching import nondifferentiable_batch_function as batch_function
