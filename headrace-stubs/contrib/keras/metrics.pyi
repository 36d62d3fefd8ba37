# Made by tools/make_stubs.py.

__all__ = ['binary_accuracy', 'binary_crossentropy', 'categorical_accuracy', 'categorical_crossentropy', 'cosine_similarity', 'deserialize', 'get', 'hinge', 'kullback_leibler_divergence', 'mean_absolute_error', 'mean_absolute_percentage_error', 'mean_squared_error', 'mean_squared_logarithmic_error', 'poisson', 'serialize', 'sparse_categorical_crossentropy', 'sparse_top_k_categorical_accuracy', 'squared_hinge', 'top_k_categorical_accuracy']
from headrace.keras.metrics import binary_accuracy as binary_accuracy
from headrace.keras.metrics import binary_crossentropy as binary_crossentropy
from headrace.keras.metrics import categorical_accuracy as categorical_accuracy
from headrace.keras.metrics import categorical_crossentropy as categorical_crossentropy
from headrace.keras.loss_functions import cosine_proximity as cosine_similarity
from headrace.keras.metrics import deserialize as deserialize
from headrace.keras.metrics import get as get
from headrace.keras.metrics import hinge as hinge
from headrace.keras.metrics import kullback_leibler_divergence as kullback_leibler_divergence
from headrace.keras.metrics import mean_absolute_error as mean_absolute_error
from headrace.keras.metrics import mean_absolute_percentage_error as mean_absolute_percentage_error
from headrace.keras.metrics import mean_squared_error as mean_squared_error
from headrace.keras.metrics import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from headrace.keras.metrics import poisson as poisson
from headrace.keras.metrics import serialize as serialize
from headrace.keras.metrics import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from headrace.keras.metrics import sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy
from headrace.keras.metrics import squared_hinge as squared_hinge
from headrace.keras.metrics import top_k_categorical_accuracy as top_k_categorical_accuracy
