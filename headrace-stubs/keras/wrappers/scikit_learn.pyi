# Made by tools/make_stubs.py.

__all__ = ['KerasClassifier', 'KerasRegressor']
from headrace.keras.wrappers.scikit_learn import KerasClassifier as KerasClassifier
from headrace.keras.wrappers.scikit_learn import KerasRegressor as KerasRegressor
