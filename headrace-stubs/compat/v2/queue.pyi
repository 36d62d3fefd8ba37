# Made by tools/make_stubs.py.

__all__ = ['FIFOQueue', 'PaddingFIFOQueue', 'PriorityQueue', 'QueueBase', 'RandomShuffleQueue']
from headrace.queue import FIFOQueue as FIFOQueue
from headrace.queue import PaddingFIFOQueue as PaddingFIFOQueue
from headrace.queue import PriorityQueue as PriorityQueue
from headrace.queue import QueueBase as QueueBase
from headrace.queue import RandomShuffleQueue as RandomShuffleQueue
