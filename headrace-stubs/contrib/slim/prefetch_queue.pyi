# Made by tools/make_stubs.py.

__all__ = ['prefetch_queue']
from headrace.contrib.slim.data.prefetch_queue import prefetch_queue as prefetch_queue
