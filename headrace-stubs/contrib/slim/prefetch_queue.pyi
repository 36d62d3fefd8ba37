# Made by tools/make_stubs.py.

from headrace.contrib.slim.data.prefetch_queue import prefetch_queue as prefetch_queue
