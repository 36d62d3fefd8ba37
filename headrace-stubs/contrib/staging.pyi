# Made by tools/make_stubs.py.

from headrace.functions.queues.staging import StagingArea as StagingArea
