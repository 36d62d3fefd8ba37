# Made by tools/make_stubs.py.

__all__ = ['Dataset', 'DatasetSpec', 'FixedLengthRecordDataset', 'Options', 'TFRecordDataset', 'TextLineDataset', 'experimental']
from headrace.data.dataset import DatasetV2 as Dataset
from headrace.data.dataset_base import DatasetSpec as DatasetSpec
from headrace.data.readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from headrace.data.options import Options as Options
from headrace.data.readers import TFRecordDataset as TFRecordDataset
from headrace.data.readers import TextLineDataset as TextLineDataset
from headrace.compat.v2.data import experimental as experimental
