# Made by tools/make_stubs.py.

__all__ = ['InceptionV3', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.inception_v3 import InceptionV3 as InceptionV3
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.tf_inputs import preprocess_input as preprocess_input
