# Made by tools/make_stubs.py.

__all__ = ['Generator', 'create_rng_state', 'get_global_generator', 'set_global_generator']
from headrace.random.experimental import Generator as Generator
from headrace.random.experimental import create_rng_state as create_rng_state
from headrace.random.experimental import get_global_generator as get_global_generator
from headrace.random.experimental import set_global_generator as set_global_generator
