# Made by tools/make_stubs.py.

__all__ = ['activations', 'api', 'applications', 'backend', 'callbacks', 'constraints', 'datasets', 'initializers', 'layers', 'losses', 'metrics', 'models', 'optimizers', 'preprocessing', 'regularizers', 'utils', 'wrappers']
from headrace.contrib.keras import activations as activations
from headrace.contrib.keras import api as api
from headrace.contrib.keras import applications as applications
from headrace.contrib.keras import backend as backend
from headrace.contrib.keras import callbacks as callbacks
from headrace.contrib.keras import constraints as constraints
from headrace.contrib.keras import datasets as datasets
from headrace.contrib.keras import initializers as initializers
from headrace.contrib.keras import layers as layers
from headrace.contrib.keras import losses as losses
from headrace.contrib.keras import metrics as metrics
from headrace.contrib.keras import models as models
from headrace.contrib.keras import optimizers as optimizers
from headrace.contrib.keras import preprocessing as preprocessing
from headrace.contrib.keras import regularizers as regularizers
from headrace.contrib.keras import utils as utils
from headrace.contrib.keras import wrappers as wrappers
