# Made by tools/make_stubs.py.

__all__ = ['load_keras_model', 'save_keras_model']
from headrace.keras.saving.saved_model_experimental import load_from_saved_model as load_keras_model
from headrace.keras.saving.saved_model_experimental import export_saved_model as save_keras_model
