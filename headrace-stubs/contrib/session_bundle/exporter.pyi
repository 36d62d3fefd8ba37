# Made by tools/make_stubs.py.

__all__ = ['Exporter', 'classification_signature', 'generic_signature', 'gfile_copy_callback', 'regression_signature']
from headrace.contrib.session_bundle.exporter import Exporter as Exporter
from headrace.contrib.session_bundle.exporter import classification_signature as classification_signature
from headrace.contrib.session_bundle.exporter import generic_signature as generic_signature
from headrace.contrib.session_bundle.exporter import gfile_copy_callback as gfile_copy_callback
from headrace.contrib.session_bundle.exporter import regression_signature as regression_signature
