# Made by tools/make_stubs.py.

__all__ = ['Input', 'Model', 'Sequential', 'activations', 'applications', 'backend', 'callbacks', 'constraints', 'datasets', 'estimator', 'experimental', 'initializers', 'layers', 'losses', 'metrics', 'mixed_precision', 'models', 'optimizers', 'preprocessing', 'regularizers', 'utils', 'wrappers']
from headrace.keras.engine.input_layer import Input as Input
from headrace.keras.engine.training import Model as Model
from headrace.keras.engine.sequential import Sequential as Sequential
from headrace.compat.v2.keras import activations as activations
from headrace.compat.v2.keras import applications as applications
from headrace.compat.v2.keras import backend as backend
from headrace.compat.v2.keras import callbacks as callbacks
from headrace.compat.v2.keras import constraints as constraints
from headrace.compat.v2.keras import datasets as datasets
from headrace.compat.v2.keras import estimator as estimator
from headrace.compat.v2.keras import experimental as experimental
from headrace.compat.v2.keras import initializers as initializers
from headrace.compat.v2.keras import layers as layers
from headrace.compat.v2.keras import losses as losses
from headrace.compat.v2.keras import metrics as metrics
from headrace.compat.v2.keras import mixed_precision as mixed_precision
from headrace.compat.v2.keras import models as models
from headrace.compat.v2.keras import optimizers as optimizers
from headrace.compat.v2.keras import preprocessing as preprocessing
from headrace.compat.v2.keras import regularizers as regularizers
from headrace.compat.v2.keras import utils as utils
from headrace.compat.v2.keras import wrappers as wrappers
