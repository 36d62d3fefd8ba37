# Made by tools/make_stubs.py.

__all__ = ['build_signature_def', 'classification_signature_def', 'is_valid_signature', 'predict_signature_def', 'regression_signature_def']
from headrace.saved_model.signatures import build_signature_def as build_signature_def
from headrace.saved_model.signatures import classification_signature_def as classification_signature_def
from headrace.saved_model.signatures import is_valid_signature as is_valid_signature
from headrace.saved_model.signatures import predict_signature_def as predict_signature_def
from headrace.saved_model.signatures import regression_signature_def as regression_signature_def
