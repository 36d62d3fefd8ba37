# Made by tools/make_stubs.py.

__all__ = ['Xception', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.xception import Xception as Xception
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.tf_inputs import preprocess_input as preprocess_input
