# Made by tools/make_stubs.py.

__all__ = ['as_bytes', 'as_str', 'as_str_any', 'as_text', 'bytes_or_text_types', 'complex_types', 'dimension_at_index', 'dimension_value', 'forward_compatibility_horizon', 'forward_compatible', 'integral_types', 'path_to_str', 'real_types']
from headrace.compat import as_bytes as as_bytes
from headrace.compat import as_str as as_str
from headrace.compat import as_str_any as as_str_any
from headrace.compat import as_text as as_text
from headrace.compat import bytes_or_text_types as bytes_or_text_types
from headrace.compat import complex_types as complex_types
from headrace.compat import dimension_at_index as dimension_at_index
from headrace.compat import dimension_value as dimension_value
from headrace.compat import forward_compatibility_horizon as forward_compatibility_horizon
from headrace.compat import forward_compatible as forward_compatible
from headrace.compat import integral_types as integral_types
from headrace.compat import path_to_str as path_to_str
from headrace.compat import real_types as real_types
