# Made by tools/make_stubs.py.

from headrace.files.records import TFRecordCompressionType as TFRecordCompressionType
from headrace.files.records import TFRecordOptions as TFRecordOptions
from headrace.files.records import TFRecordWriter as TFRecordWriter
from headrace.files.records import tf_record_iterator as tf_record_iterator
