# Made by tools/make_stubs.py.

from headrace.keras.applications.nasnet import NASNetLarge as NASNetLarge
from headrace.keras.applications.nasnet import NASNetMobile as NASNetMobile
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.tf_inputs import preprocess_input as preprocess_input
