# Made by tools/make_stubs.py.

__all__ = ['binary_crossentropy', 'categorical_crossentropy', 'categorical_hinge', 'cosine_similarity', 'deserialize', 'get', 'hinge', 'kullback_leibler_divergence', 'logcosh', 'mean_absolute_error', 'mean_absolute_percentage_error', 'mean_squared_error', 'mean_squared_logarithmic_error', 'poisson', 'serialize', 'sparse_categorical_crossentropy', 'squared_hinge']
from headrace.keras.losses import binary_crossentropy as binary_crossentropy
from headrace.keras.losses import categorical_crossentropy as categorical_crossentropy
from headrace.keras.losses import categorical_hinge as categorical_hinge
from headrace.keras.losses import cosine_similarity as cosine_similarity
from headrace.keras.losses import deserialize as deserialize
from headrace.keras.losses import get as get
from headrace.keras.losses import hinge as hinge
from headrace.keras.losses import kullback_leibler_divergence as kullback_leibler_divergence
from headrace.keras.losses import logcosh as logcosh
from headrace.keras.losses import mean_absolute_error as mean_absolute_error
from headrace.keras.losses import mean_absolute_percentage_error as mean_absolute_percentage_error
from headrace.keras.losses import mean_squared_error as mean_squared_error
from headrace.keras.losses import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from headrace.keras.losses import poisson as poisson
from headrace.keras.losses import serialize as serialize
from headrace.keras.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from headrace.keras.losses import squared_hinge as squared_hinge
