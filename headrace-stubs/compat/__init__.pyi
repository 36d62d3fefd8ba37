# Made by tools/make_stubs.py.

from headrace.compat import v1 as v1
__all__ = ['as_bytes', 'as_str', 'as_str_any', 'as_text', 'bytes_or_text_types', 'complex_types', 'dimension_at_index', 'dimension_value', 'forward_compatibility_horizon', 'forward_compatible', 'integral_types', 'path_to_str', 'real_types', 'v1', 'v2']
from headrace.util.compat import as_bytes as as_bytes
from headrace.util.compat import as_str as as_str
from headrace.util.compat import as_str_any as as_str_any
from headrace.util.compat import as_text as as_text
from headrace.util.compat import bytes_or_text_types as bytes_or_text_types
from headrace.util.compat import complex_types as complex_types
from headrace.core.shapes import dimension_at_index as dimension_at_index
from headrace.core.shapes import dimension_value as dimension_value
from headrace.util.compat import forward_compatibility_horizon as forward_compatibility_horizon
from headrace.util.compat import forward_compatible as forward_compatible
from headrace.util.compat import integral_types as integral_types
from headrace.util.compat import path_to_str as path_to_str
from headrace.util.compat import real_types as real_types
from headrace.compat import v2 as v2
