# Made by tools/make_stubs.py.

__all__ = ['VGG16', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.vgg16 import VGG16 as VGG16
from headrace.keras.applications.vgg16 import decode_predictions as decode_predictions
from headrace.keras.applications.vgg16 import preprocess_input as preprocess_input
