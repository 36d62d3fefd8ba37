# Made by tools/make_stubs.py.

from headrace.saved_model.writing import SavedModelBuilder as SavedModelBuilder
