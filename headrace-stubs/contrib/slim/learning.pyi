# Made by tools/make_stubs.py.

__all__ = ['add_gradients_summaries', 'clip_gradient_norms', 'create_train_op', 'multiply_gradients', 'train', 'train_step']
from headrace.contrib.slim.learning import add_gradients_summaries as add_gradients_summaries
from headrace.contrib.slim.learning import clip_gradient_norms as clip_gradient_norms
from headrace.contrib.slim.learning import create_train_op as create_train_op
from headrace.contrib.slim.learning import multiply_gradients as multiply_gradients
from headrace.contrib.slim.learning import train as train
from headrace.contrib.slim.learning import train_step as train_step
