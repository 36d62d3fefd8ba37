# Made by tools/make_stubs.py.

__all__ = ['stateless_multinomial', 'stateless_random_normal', 'stateless_random_uniform', 'stateless_truncated_normal']
from headrace.ops.random.sampling import stateless_multinomial as stateless_multinomial
from headrace.ops.random.normal import stateless_normal as stateless_random_normal
from headrace.ops.random.uniform import stateless_uniform as stateless_random_uniform
from headrace.ops.random.normal import stateless_truncated_normal as stateless_truncated_normal
