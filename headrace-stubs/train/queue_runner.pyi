# Made by tools/make_stubs.py.

__all__ = ['QueueRunner', 'add_queue_runner', 'start_queue_runners']
from headrace.sessions.queue_runner import QueueRunner as QueueRunner
from headrace.sessions.queue_runner import add_queue_runner as add_queue_runner
from headrace.sessions.queue_runner import start_queue_runners as start_queue_runners
