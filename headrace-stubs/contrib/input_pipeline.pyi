# Made by tools/make_stubs.py.

__all__ = ['obtain_next', 'seek_next']
from headrace.ops.state.input_pipeline import obtain_next as obtain_next
from headrace.contrib.learn.input_pipeline import seek_next as seek_next
