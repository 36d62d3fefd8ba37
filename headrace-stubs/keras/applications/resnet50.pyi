# Made by tools/make_stubs.py.

__all__ = ['ResNet50', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.resnet import ResNet50 as ResNet50
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.caffe_inputs import preprocess_input as preprocess_input
