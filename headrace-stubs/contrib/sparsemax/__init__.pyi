# Made by tools/make_stubs.py.

__all__ = ['sparsemax', 'sparsemax_loss']
from headrace.contrib.sparsemax import sparsemax as sparsemax
from headrace.contrib.sparsemax import sparsemax_loss as sparsemax_loss
