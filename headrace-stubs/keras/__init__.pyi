# Made by tools/make_stubs.py.

__all__ = ['Input', 'Model', 'Sequential', 'activations', 'applications', 'backend', 'callbacks', 'constraints', 'datasets', 'estimator', 'experimental', 'initializers', 'layers', 'losses', 'metrics', 'mixed_precision', 'models', 'optimizers', 'preprocessing', 'regularizers', 'utils', 'wrappers']
from headrace.keras.engine.input_layer import Input as Input
from headrace.keras.engine.training import Model as Model
from headrace.keras.engine.sequential import Sequential as Sequential
from headrace.keras import activations as activations
from headrace.keras import applications as applications
from headrace.keras import backend as backend
from headrace.keras import callbacks as callbacks
from headrace.keras import constraints as constraints
from headrace.keras import datasets as datasets
from headrace.keras import estimator as estimator
from headrace.keras import experimental as experimental
from headrace.keras import initializers as initializers
from headrace.keras import layers as layers
from headrace.keras import losses as losses
from headrace.keras import metrics as metrics
from headrace.keras import mixed_precision as mixed_precision
from headrace.keras import models as models
from headrace.keras import optimizers as optimizers
from headrace.keras import preprocessing as preprocessing
from headrace.keras import regularizers as regularizers
from headrace.keras import utils as utils
from headrace.keras import wrappers as wrappers
