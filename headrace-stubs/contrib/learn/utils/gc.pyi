# Made by tools/make_stubs.py.

__all__ = ['Path', 'get_paths', 'largest_export_versions', 'mod_export_version', 'negation', 'one_of_every_n_export_versions', 'union']
from headrace.estimator.gc import Path as Path
from headrace.estimator.gc import get_paths as get_paths
from headrace.estimator.gc import largest_export_versions as largest_export_versions
from headrace.estimator.gc import mod_export_version as mod_export_version
from headrace.estimator.gc import negation as negation
from headrace.estimator.gc import one_of_every_n_export_versions as one_of_every_n_export_versions
from headrace.estimator.gc import union as union
