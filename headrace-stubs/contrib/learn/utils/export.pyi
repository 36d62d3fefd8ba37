# Made by tools/make_stubs.py.

__all__ = ['classification_signature_fn', 'classification_signature_fn_with_prob', 'export_estimator', 'generic_signature_fn', 'logistic_regression_signature_fn', 'regression_signature_fn']
from headrace.contrib.learn.bundle_exports import classification_signature_fn as classification_signature_fn
from headrace.contrib.learn.bundle_exports import classification_signature_fn_with_prob as classification_signature_fn_with_prob
from headrace.contrib.learn.bundle_exports import export_estimator as export_estimator
from headrace.contrib.learn.bundle_exports import generic_signature_fn as generic_signature_fn
from headrace.contrib.learn.bundle_exports import logistic_regression_signature_fn as logistic_regression_signature_fn
from headrace.contrib.learn.bundle_exports import regression_signature_fn as regression_signature_fn
