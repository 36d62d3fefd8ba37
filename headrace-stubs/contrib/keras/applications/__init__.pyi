# Made by tools/make_stubs.py.

__all__ = ['InceptionV3', 'MobileNet', 'ResNet50', 'VGG16', 'VGG19', 'Xception', 'inception_v3', 'mobilenet', 'resnet50', 'vgg16', 'vgg19', 'xception']
from headrace.keras.applications.inception_v3 import InceptionV3 as InceptionV3
from headrace.keras.applications.mobilenet import MobileNet as MobileNet
from headrace.keras.applications.resnet import ResNet50 as ResNet50
from headrace.keras.applications.vgg import VGG16 as VGG16
from headrace.keras.applications.vgg import VGG19 as VGG19
from headrace.keras.applications.xception import Xception as Xception
from headrace.contrib.keras.applications import inception_v3 as inception_v3
from headrace.contrib.keras.applications import mobilenet as mobilenet
from headrace.contrib.keras.applications import resnet50 as resnet50
from headrace.contrib.keras.applications import vgg16 as vgg16
from headrace.contrib.keras.applications import vgg19 as vgg19
from headrace.contrib.keras.applications import xception as xception
