# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['FixedLenFeature', 'FixedLenSequenceFeature', 'SparseFeature', 'TFRecordOptions', 'TFRecordWriter', 'VarLenFeature', 'decode_and_crop_jpeg', 'decode_base64', 'decode_bmp', 'decode_compressed', 'decode_csv', 'decode_gif', 'decode_image', 'decode_jpeg', 'decode_json_example', 'decode_png', 'decode_proto', 'decode_raw', 'deserialize_many_sparse', 'encode_base64', 'encode_jpeg', 'encode_proto', 'extract_jpeg_shape', 'gfile', 'is_jpeg', 'match_filenames_once', 'matching_files', 'parse_example', 'parse_sequence_example', 'parse_single_example', 'parse_single_sequence_example', 'parse_tensor', 'read_file', 'serialize_many_sparse', 'serialize_sparse', 'serialize_tensor', 'write_file', 'write_graph']
from headrace.io import FixedLenFeature as FixedLenFeature
from headrace.io import FixedLenSequenceFeature as FixedLenSequenceFeature
from headrace.io import SparseFeature as SparseFeature
from headrace.io import TFRecordOptions as TFRecordOptions
from headrace.io import TFRecordWriter as TFRecordWriter
from headrace.io import VarLenFeature as VarLenFeature
from headrace.io import decode_and_crop_jpeg as decode_and_crop_jpeg
from headrace.io import decode_base64 as decode_base64
from headrace.io import decode_bmp as decode_bmp
from headrace.io import decode_compressed as decode_compressed
decode_csv: Any
from headrace.io import decode_gif as decode_gif
from headrace.io import decode_image as decode_image
from headrace.io import decode_jpeg as decode_jpeg
from headrace.io import decode_json_example as decode_json_example
from headrace.io import decode_png as decode_png
from headrace.io import decode_proto as decode_proto
decode_raw: Any
from headrace.io import deserialize_many_sparse as deserialize_many_sparse
from headrace.io import encode_base64 as encode_base64
from headrace.io import encode_jpeg as encode_jpeg
from headrace.io import encode_proto as encode_proto
from headrace.io import extract_jpeg_shape as extract_jpeg_shape
from headrace.compat.v2.io import gfile as gfile
from headrace.io import is_jpeg as is_jpeg
from headrace.io import match_filenames_once as match_filenames_once
from headrace.io import matching_files as matching_files
parse_example: Any
from headrace.io import parse_sequence_example as parse_sequence_example
parse_single_example: Any
from headrace.io import parse_single_sequence_example as parse_single_sequence_example
from headrace.io import parse_tensor as parse_tensor
from headrace.io import read_file as read_file
serialize_many_sparse: Any
serialize_sparse: Any
from headrace.io import serialize_tensor as serialize_tensor
from headrace.io import write_file as write_file
from headrace.io import write_graph as write_graph
