# Made by tools/make_stubs.py.

from headrace.keras.applications.resnet50 import ResNet50 as ResNet50
from headrace.keras.applications.resnet50 import decode_predictions as decode_predictions
from headrace.keras.applications.resnet50 import preprocess_input as preprocess_input
