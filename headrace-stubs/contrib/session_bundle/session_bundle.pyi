# Made by tools/make_stubs.py.

__all__ = ['get_classification_signature', 'get_named_signature', 'get_regression_signature', 'get_signatures', 'load_session_bundle_from_path', 'maybe_session_bundle_dir']
from headrace.contrib.session_bundle.signatures import get_classification_signature as get_classification_signature
from headrace.contrib.session_bundle.signatures import get_named_signature as get_named_signature
from headrace.contrib.session_bundle.signatures import get_regression_signature as get_regression_signature
from headrace.contrib.session_bundle.signatures import get_signatures as get_signatures
from headrace.contrib.session_bundle.loading import load_session_bundle_from_path as load_session_bundle_from_path
from headrace.contrib.session_bundle.loading import maybe_session_bundle_dir as maybe_session_bundle_dir
