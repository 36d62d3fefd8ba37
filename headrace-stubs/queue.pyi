# Made by tools/make_stubs.py.

__all__ = ['FIFOQueue', 'PaddingFIFOQueue', 'PriorityQueue', 'QueueBase', 'RandomShuffleQueue']
from headrace.functions.queues.queues import FIFOQueue as FIFOQueue
from headrace.functions.queues.queues import PaddingFIFOQueue as PaddingFIFOQueue
from headrace.functions.queues.queues import PriorityQueue as PriorityQueue
from headrace.functions.queues.queues import QueueBase as QueueBase
from headrace.functions.queues.queues import RandomShuffleQueue as RandomShuffleQueue
