# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['as_string', 'bytes_split', 'format', 'join', 'length', 'lower', 'ngrams', 'reduce_join', 'regex_full_match', 'regex_replace', 'split', 'strip', 'substr', 'to_hash_bucket', 'to_hash_bucket_fast', 'to_hash_bucket_strong', 'to_number', 'unicode_decode', 'unicode_decode_with_offsets', 'unicode_encode', 'unicode_script', 'unicode_split', 'unicode_split_with_offsets', 'unicode_transcode', 'unsorted_segment_join', 'upper']
from headrace.strings import as_string as as_string
from headrace.strings import bytes_split as bytes_split
from headrace.strings import format as format
from headrace.strings import join as join
length: Any
from headrace.strings import lower as lower
from headrace.strings import ngrams as ngrams
reduce_join: Any
from headrace.strings import regex_full_match as regex_full_match
from headrace.strings import regex_replace as regex_replace
split: Any
from headrace.strings import strip as strip
substr: Any
to_hash_bucket: Any
from headrace.strings import to_hash_bucket_fast as to_hash_bucket_fast
from headrace.strings import to_hash_bucket_strong as to_hash_bucket_strong
to_number: Any
from headrace.strings import unicode_decode as unicode_decode
from headrace.strings import unicode_decode_with_offsets as unicode_decode_with_offsets
from headrace.strings import unicode_encode as unicode_encode
from headrace.strings import unicode_script as unicode_script
from headrace.strings import unicode_split as unicode_split
from headrace.strings import unicode_split_with_offsets as unicode_split_with_offsets
from headrace.strings import unicode_transcode as unicode_transcode
from headrace.strings import unsorted_segment_join as unsorted_segment_join
from headrace.strings import upper as upper
