# Made by tools/make_stubs.py.

__all__ = ['NestedQueueRunnerError', 'QueueRunners']
from headrace.contrib.slim.queues import NestedQueueRunnerError as NestedQueueRunnerError
from headrace.contrib.slim.queues import QueueRunners as QueueRunners
