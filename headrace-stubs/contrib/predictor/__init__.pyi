# Made by tools/make_stubs.py.

__all__ = ['from_contrib_estimator', 'from_estimator', 'from_saved_model']
from headrace.contrib.predictor.contrib_estimators import from_contrib_estimator as from_contrib_estimator
from headrace.contrib.predictor.estimators import from_estimator as from_estimator
from headrace.contrib.predictor.predictors import from_saved_model as from_saved_model
