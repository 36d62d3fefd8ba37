# Made by tools/make_stubs.py.

__all__ = ['ResNet101V2', 'ResNet152V2', 'ResNet50V2', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.resnet_v2 import ResNet101V2 as ResNet101V2
from headrace.keras.applications.resnet_v2 import ResNet152V2 as ResNet152V2
from headrace.keras.applications.resnet_v2 import ResNet50V2 as ResNet50V2
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.tf_inputs import preprocess_input as preprocess_input
