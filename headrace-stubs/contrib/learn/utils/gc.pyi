# Made by tools/make_stubs.py.

from headrace.contrib.learn.export_versions import Path as Path
from headrace.contrib.learn.export_versions import get_paths as get_paths
from headrace.contrib.learn.export_versions import largest_export_versions as largest_export_versions
from headrace.contrib.learn.export_versions import mod_export_version as mod_export_version
from headrace.contrib.learn.export_versions import negation as negation
from headrace.contrib.learn.export_versions import one_of_every_n_export_versions as one_of_every_n_export_versions
from headrace.contrib.learn.export_versions import union as union
