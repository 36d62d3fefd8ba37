# Made by tools/make_stubs.py.

__all__ = ['CosineDecay', 'CosineDecayRestarts', 'LinearCosineDecay', 'LinearModel', 'NoisyLinearCosineDecay', 'PeepholeLSTMCell', 'SequenceFeatures', 'WideDeepModel', 'export_saved_model', 'load_from_saved_model', 'terminate_keras_multiprocessing_pools']
from headrace.keras.experimental import CosineDecay as CosineDecay
from headrace.keras.experimental import CosineDecayRestarts as CosineDecayRestarts
from headrace.keras.experimental import LinearCosineDecay as LinearCosineDecay
from headrace.keras.experimental import LinearModel as LinearModel
from headrace.keras.experimental import NoisyLinearCosineDecay as NoisyLinearCosineDecay
from headrace.keras.experimental import PeepholeLSTMCell as PeepholeLSTMCell
from headrace.keras.experimental import SequenceFeatures as SequenceFeatures
from headrace.keras.experimental import WideDeepModel as WideDeepModel
from headrace.keras.experimental import export_saved_model as export_saved_model
from headrace.keras.experimental import load_from_saved_model as load_from_saved_model
from headrace.keras.experimental import terminate_keras_multiprocessing_pools as terminate_keras_multiprocessing_pools
