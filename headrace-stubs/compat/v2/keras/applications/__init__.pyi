# Made by tools/make_stubs.py.

__all__ = ['DenseNet121', 'DenseNet169', 'DenseNet201', 'InceptionResNetV2', 'InceptionV3', 'MobileNet', 'MobileNetV2', 'NASNetLarge', 'NASNetMobile', 'ResNet101', 'ResNet101V2', 'ResNet152', 'ResNet152V2', 'ResNet50', 'ResNet50V2', 'VGG16', 'VGG19', 'Xception', 'densenet', 'imagenet_utils', 'inception_resnet_v2', 'inception_v3', 'mobilenet', 'mobilenet_v2', 'nasnet', 'resnet', 'resnet50', 'resnet_v2', 'vgg16', 'vgg19', 'xception']
from headrace.keras.applications.densenet import DenseNet121 as DenseNet121
from headrace.keras.applications.densenet import DenseNet169 as DenseNet169
from headrace.keras.applications.densenet import DenseNet201 as DenseNet201
from headrace.keras.applications.inception_resnet_v2 import InceptionResNetV2 as InceptionResNetV2
from headrace.keras.applications.inception_v3 import InceptionV3 as InceptionV3
from headrace.keras.applications.mobilenet import MobileNet as MobileNet
from headrace.keras.applications.mobilenet_v2 import MobileNetV2 as MobileNetV2
from headrace.keras.applications.nasnet import NASNetLarge as NASNetLarge
from headrace.keras.applications.nasnet import NASNetMobile as NASNetMobile
from headrace.keras.applications.resnet import ResNet101 as ResNet101
from headrace.keras.applications.resnet_v2 import ResNet101V2 as ResNet101V2
from headrace.keras.applications.resnet import ResNet152 as ResNet152
from headrace.keras.applications.resnet_v2 import ResNet152V2 as ResNet152V2
from headrace.keras.applications.resnet import ResNet50 as ResNet50
from headrace.keras.applications.resnet_v2 import ResNet50V2 as ResNet50V2
from headrace.keras.applications.vgg import VGG16 as VGG16
from headrace.keras.applications.vgg import VGG19 as VGG19
from headrace.keras.applications.xception import Xception as Xception
from headrace.compat.v2.keras.applications import densenet as densenet
from headrace.compat.v2.keras.applications import imagenet_utils as imagenet_utils
from headrace.compat.v2.keras.applications import inception_resnet_v2 as inception_resnet_v2
from headrace.compat.v2.keras.applications import inception_v3 as inception_v3
from headrace.compat.v2.keras.applications import mobilenet as mobilenet
from headrace.compat.v2.keras.applications import mobilenet_v2 as mobilenet_v2
from headrace.compat.v2.keras.applications import nasnet as nasnet
from headrace.compat.v2.keras.applications import resnet as resnet
from headrace.compat.v2.keras.applications import resnet50 as resnet50
from headrace.compat.v2.keras.applications import resnet_v2 as resnet_v2
from headrace.compat.v2.keras.applications import vgg16 as vgg16
from headrace.compat.v2.keras.applications import vgg19 as vgg19
from headrace.compat.v2.keras.applications import xception as xception
