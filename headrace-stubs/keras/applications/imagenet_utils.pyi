# Made by tools/make_stubs.py.

__all__ = ['decode_predictions', 'preprocess_input']
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.imagenet_utils import preprocess_input as preprocess_input
