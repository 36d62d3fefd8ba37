# Made by tools/make_stubs.py.

__all__ = ['StagingArea']
from headrace.functions.queues.staging import StagingArea as StagingArea
