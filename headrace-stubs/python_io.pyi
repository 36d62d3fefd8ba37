# Made by tools/make_stubs.py.

__all__ = ['TFRecordCompressionType', 'TFRecordOptions', 'TFRecordWriter', 'tf_record_iterator']
from headrace.files.records import TFRecordCompressionType as TFRecordCompressionType
from headrace.files.records import TFRecordOptions as TFRecordOptions
from headrace.files.records import TFRecordWriter as TFRecordWriter
from headrace.files.records import tf_record_iterator as tf_record_iterator
