# Made by tools/make_stubs.py.

__all__ = ['EVAL', 'GPU', 'SERVING', 'TPU', 'TRAINING']
from headrace.saved_model.names import EVAL as EVAL
from headrace.saved_model.names import GPU as GPU
from headrace.saved_model.names import SERVING as SERVING
from headrace.saved_model.names import TPU as TPU
from headrace.saved_model.names import TRAINING as TRAINING
