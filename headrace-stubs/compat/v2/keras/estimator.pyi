# Made by tools/make_stubs.py.

__all__ = ['model_to_estimator']
from headrace.estimator.keras import model_to_estimator_v2 as model_to_estimator
