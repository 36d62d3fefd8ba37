# Made by tools/make_stubs.py.

__all__ = ['load', 'maybe_saved_model_directory']
from headrace.saved_model.loading import load as load
from headrace.saved_model.loading import maybe_saved_model_directory as maybe_saved_model_directory
