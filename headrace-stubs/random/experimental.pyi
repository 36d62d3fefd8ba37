# Made by tools/make_stubs.py.

__all__ = ['Generator', 'create_rng_state', 'get_global_generator', 'set_global_generator']
from headrace.state.random_generators import Generator as Generator
from headrace.state.random_generators import create_rng_state as create_rng_state
from headrace.state.random_generators import get_global_generator as get_global_generator
from headrace.state.random_generators import set_global_generator as set_global_generator
