# Made by tools/make_stubs.py.

__all__ = ['load_session_bundle_or_saved_model_bundle_from_path']
from headrace.contrib.session_bundle.loading import load_session_bundle_or_saved_model_bundle_from_path as load_session_bundle_or_saved_model_bundle_from_path
