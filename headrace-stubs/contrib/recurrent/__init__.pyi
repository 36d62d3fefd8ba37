# Made by tools/make_stubs.py.

__all__ = ['Recurrent', 'bidirectional_functional_rnn', 'functional_rnn']
from headrace.contrib.recurrent.recurrent import Recurrent as Recurrent
from headrace.contrib.recurrent.functional_rnn import bidirectional_functional_rnn as bidirectional_functional_rnn
from headrace.contrib.recurrent.functional_rnn import functional_rnn as functional_rnn
