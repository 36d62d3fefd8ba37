# Made by tools/make_stubs.py.

__all__ = ['Dataset', 'DatasetSpec', 'FixedLengthRecordDataset', 'Iterator', 'Options', 'TFRecordDataset', 'TextLineDataset', 'experimental', 'get_output_classes', 'get_output_shapes', 'get_output_types', 'make_initializable_iterator', 'make_one_shot_iterator']
from headrace.data.dataset import Dataset as Dataset
from headrace.data.dataset import DatasetSpec as DatasetSpec
from headrace.data.readers import FixedLengthRecordDataset as FixedLengthRecordDataset
from headrace.data.iterator import Iterator as Iterator
from headrace.data.options import Options as Options
from headrace.data.readers import TFRecordDataset as TFRecordDataset
from headrace.data.readers import TextLineDataset as TextLineDataset
from headrace.data import experimental as experimental
from headrace.data.structure import get_legacy_output_classes as get_output_classes
from headrace.data.structure import get_legacy_output_shapes as get_output_shapes
from headrace.data.structure import get_legacy_output_types as get_output_types
from headrace.data.dataset import make_initializable_iterator as make_initializable_iterator
from headrace.data.dataset import make_one_shot_iterator as make_one_shot_iterator
