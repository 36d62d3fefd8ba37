# Made by tools/make_stubs.py.

__all__ = ['bundle_shim', 'constants', 'exporter', 'gc', 'manifest_pb2', 'session_bundle']
from headrace.contrib.session_bundle import bundle_shim as bundle_shim
from headrace.contrib.session_bundle import constants as constants
from headrace.contrib.session_bundle import exporter as exporter
from headrace.contrib.session_bundle import gc as gc
from headrace.contrib.session_bundle import manifest_pb2 as manifest_pb2
from headrace.contrib.session_bundle import session_bundle as session_bundle
