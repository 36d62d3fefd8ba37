# Made by tools/make_stubs.py.

__all__ = ['DenseNet121', 'DenseNet169', 'DenseNet201', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.densenet import DenseNet121 as DenseNet121
from headrace.keras.applications.densenet import DenseNet169 as DenseNet169
from headrace.keras.applications.densenet import DenseNet201 as DenseNet201
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.torch_inputs import preprocess_input as preprocess_input
