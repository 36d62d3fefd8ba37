# Made by tools/make_stubs.py.

__all__ = ['CosineDecay', 'CosineDecayRestarts', 'LinearCosineDecay', 'LinearModel', 'NoisyLinearCosineDecay', 'PeepholeLSTMCell', 'SequenceFeatures', 'WideDeepModel', 'export_saved_model', 'load_from_saved_model', 'terminate_keras_multiprocessing_pools']
from headrace.keras.optimizers.learning_rate_schedule import CosineDecay as CosineDecay
from headrace.keras.optimizers.learning_rate_schedule import CosineDecayRestarts as CosineDecayRestarts
from headrace.keras.optimizers.learning_rate_schedule import LinearCosineDecay as LinearCosineDecay
from headrace.keras.premade.linear import LinearModel as LinearModel
from headrace.keras.optimizers.learning_rate_schedule import NoisyLinearCosineDecay as NoisyLinearCosineDecay
from headrace.keras.layers.recurrent_lstm import PeepholeLSTMCell as PeepholeLSTMCell
from headrace.feature_column.features_layer import SequenceFeatures as SequenceFeatures
from headrace.keras.premade.wide_deep import WideDeepModel as WideDeepModel
from headrace.keras.saving.saved_model_experimental import export_saved_model as export_saved_model
from headrace.keras.saving.saved_model_experimental import load_from_saved_model as load_from_saved_model
from headrace.keras.utils.worker_pool import terminate_keras_multiprocessing_pools as terminate_keras_multiprocessing_pools
