# Made by tools/make_stubs.py.

__all__ = ['SavedModelBuilder']
from headrace.saved_model.writing import SavedModelBuilder as SavedModelBuilder
