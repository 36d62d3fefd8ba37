# Made by tools/make_stubs.py.

__all__ = ['checkpoints_iterator', 'evaluate_once', 'evaluation_loop', 'wait_for_new_checkpoint']
from headrace.contrib.slim.evaluation import checkpoints_iterator as checkpoints_iterator
from headrace.contrib.slim.evaluation import evaluate_once as evaluate_once
from headrace.contrib.slim.evaluation import evaluation_loop as evaluation_loop
from headrace.contrib.slim.evaluation import wait_for_new_checkpoint as wait_for_new_checkpoint
