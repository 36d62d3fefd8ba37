# Made by tools/make_stubs.py.

__all__ = ['ASSETS_DIRECTORY', 'ASSETS_KEY', 'CLASSIFICATION_SIGNATURE', 'EXPORT_BASE_NAME', 'EXPORT_SUFFIX_NAME', 'GENERIC_SIGNATURE', 'GRAPH_KEY', 'INIT_OP_KEY', 'META_GRAPH_DEF_FILENAME', 'REGRESSION_SIGNATURE', 'SIGNATURES_KEY', 'VARIABLES_FILENAME', 'VARIABLES_FILENAME_PATTERN', 'VARIABLES_FILENAME_PATTERN_V2', 'VARIABLES_INDEX_FILENAME_V2', 'VERSION_FORMAT_SPECIFIER']
from headrace.contrib.session_bundle.constants import ASSETS_DIRECTORY as ASSETS_DIRECTORY
from headrace.contrib.session_bundle.constants import ASSETS_KEY as ASSETS_KEY
from headrace.contrib.session_bundle.constants import CLASSIFICATION_SIGNATURE as CLASSIFICATION_SIGNATURE
from headrace.contrib.session_bundle.constants import EXPORT_BASE_NAME as EXPORT_BASE_NAME
from headrace.contrib.session_bundle.constants import EXPORT_SUFFIX_NAME as EXPORT_SUFFIX_NAME
from headrace.contrib.session_bundle.constants import GENERIC_SIGNATURE as GENERIC_SIGNATURE
from headrace.contrib.session_bundle.constants import GRAPH_KEY as GRAPH_KEY
from headrace.contrib.session_bundle.constants import INIT_OP_KEY as INIT_OP_KEY
from headrace.contrib.session_bundle.constants import META_GRAPH_DEF_FILENAME as META_GRAPH_DEF_FILENAME
from headrace.contrib.session_bundle.constants import REGRESSION_SIGNATURE as REGRESSION_SIGNATURE
from headrace.contrib.session_bundle.constants import SIGNATURES_KEY as SIGNATURES_KEY
from headrace.contrib.session_bundle.constants import VARIABLES_FILENAME as VARIABLES_FILENAME
from headrace.contrib.session_bundle.constants import VARIABLES_FILENAME_PATTERN as VARIABLES_FILENAME_PATTERN
from headrace.contrib.session_bundle.constants import VARIABLES_FILENAME_PATTERN_V2 as VARIABLES_FILENAME_PATTERN_V2
from headrace.contrib.session_bundle.constants import VARIABLES_INDEX_FILENAME_V2 as VARIABLES_INDEX_FILENAME_V2
from headrace.contrib.session_bundle.constants import VERSION_FORMAT_SPECIFIER as VERSION_FORMAT_SPECIFIER
