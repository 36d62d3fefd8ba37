# Made by tools/make_stubs.py.

__all__ = ['as_string', 'bytes_split', 'format', 'join', 'length', 'lower', 'ngrams', 'reduce_join', 'regex_full_match', 'regex_replace', 'split', 'strip', 'substr', 'to_hash_bucket', 'to_hash_bucket_fast', 'to_hash_bucket_strong', 'to_number', 'unicode_decode', 'unicode_decode_with_offsets', 'unicode_encode', 'unicode_script', 'unicode_split', 'unicode_split_with_offsets', 'unicode_transcode', 'unsorted_segment_join', 'upper']
from headrace.ops.string.conversion import as_string as as_string
from headrace.functions.ragged.strings import bytes_split as bytes_split
from headrace.ops.flow.printing import string_format as format
from headrace.ops.string.joining import string_join as join
from headrace.ops.string.text import string_length as length
from headrace.ops.string.text import string_lower as lower
from headrace.functions.ragged.strings import ngrams as ngrams
from headrace.ops.string.joining import reduce_join as reduce_join
from headrace.ops.string.regex import regex_full_match as regex_full_match
from headrace.ops.string.regex import regex_replace as regex_replace
from headrace.functions.string.splitting import split as split
from headrace.ops.string.text import string_strip as strip
from headrace.ops.string.text import substr as substr
from headrace.ops.string.hashing import string_to_hash_bucket as to_hash_bucket
from headrace.ops.string.hashing import string_to_hash_bucket_fast as to_hash_bucket_fast
from headrace.ops.string.hashing import string_to_hash_bucket_strong as to_hash_bucket_strong
from headrace.ops.string.conversion import string_to_number as to_number
from headrace.functions.ragged.strings import unicode_decode as unicode_decode
from headrace.functions.ragged.strings import unicode_decode_with_offsets as unicode_decode_with_offsets
from headrace.functions.ragged.strings import unicode_encode as unicode_encode
from headrace.ops.string.unicode import unicode_script as unicode_script
from headrace.functions.ragged.strings import unicode_split as unicode_split
from headrace.functions.ragged.strings import unicode_split_with_offsets as unicode_split_with_offsets
from headrace.ops.string.unicode import unicode_transcode as unicode_transcode
from headrace.ops.string.segments import unsorted_segment_join as unsorted_segment_join
from headrace.ops.string.text import string_upper as upper
