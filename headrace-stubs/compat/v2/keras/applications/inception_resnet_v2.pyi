# Made by tools/make_stubs.py.

__all__ = ['InceptionResNetV2', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.inception_resnet_v2 import InceptionResNetV2 as InceptionResNetV2
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.tf_inputs import preprocess_input as preprocess_input
