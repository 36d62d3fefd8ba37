# Made by tools/make_stubs.py.

__all__ = ['VGG19', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.vgg19 import VGG19 as VGG19
from headrace.keras.applications.vgg19 import decode_predictions as decode_predictions
from headrace.keras.applications.vgg19 import preprocess_input as preprocess_input
