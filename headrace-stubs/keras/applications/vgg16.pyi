# Made by tools/make_stubs.py.

__all__ = ['VGG16', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.vgg import VGG16 as VGG16
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.caffe_inputs import preprocess_input as preprocess_input
