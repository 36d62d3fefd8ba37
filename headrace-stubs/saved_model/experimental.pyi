# Made by tools/make_stubs.py.

from headrace.saved_model.objects_writing import save as save
