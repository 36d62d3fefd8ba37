# Made by tools/make_stubs.py.

__all__ = ['create_eval_graph', 'create_training_graph', 'experimental_create_eval_graph', 'experimental_create_training_graph']
from headrace.contrib.quantize.rewriting import create_eval_graph as create_eval_graph
from headrace.contrib.quantize.rewriting import create_training_graph as create_training_graph
from headrace.contrib.quantize.rewriting import experimental_create_eval_graph as experimental_create_eval_graph
from headrace.contrib.quantize.rewriting import experimental_create_training_graph as experimental_create_training_graph
