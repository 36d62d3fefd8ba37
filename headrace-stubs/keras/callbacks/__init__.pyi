# Made by tools/make_stubs.py.

__all__ = ['BaseLogger', 'CSVLogger', 'Callback', 'EarlyStopping', 'History', 'LambdaCallback', 'LearningRateScheduler', 'ModelCheckpoint', 'ProgbarLogger', 'ReduceLROnPlateau', 'RemoteMonitor', 'TensorBoard', 'TerminateOnNaN']
from headrace.keras.callbacks.records import BaseLogger as BaseLogger
from headrace.keras.callbacks.records import CSVLogger as CSVLogger
from headrace.keras.callbacks.base import Callback as Callback
from headrace.keras.callbacks.stopping import EarlyStopping as EarlyStopping
from headrace.keras.callbacks.records import History as History
from headrace.keras.callbacks.lambdas import LambdaCallback as LambdaCallback
from headrace.keras.callbacks.learning_rates import LearningRateScheduler as LearningRateScheduler
from headrace.keras.callbacks.model_checkpoint import ModelCheckpoint as ModelCheckpoint
from headrace.keras.callbacks.records import ProgbarLogger as ProgbarLogger
from headrace.keras.callbacks.learning_rates import ReduceLROnPlateau as ReduceLROnPlateau
from headrace.keras.callbacks.records import RemoteMonitor as RemoteMonitor
from headrace.keras.callbacks.tensorboard_v1 import TensorBoard as TensorBoard
from headrace.keras.callbacks.stopping import TerminateOnNaN as TerminateOnNaN
