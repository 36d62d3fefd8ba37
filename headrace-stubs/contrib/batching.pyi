# Made by tools/make_stubs.py.

__all__ = ['batch_function']
from headrace.state.batching import nondifferentiable_batch_function as batch_function
