# Made by tools/make_stubs.py.

__all__ = ['save']
from headrace.saved_model.objects_writing import save as save
