"""Names of 1.15's own modules that say which version of TensorFlow they are of: here each is one thing."""

from headrace.data.experimental import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from headrace.data.file_sources import (
    CsvDataset,
    make_batched_features_dataset,
    make_csv_dataset,
    make_tf_record_dataset,
)
from headrace.data.mixing import choose_from_datasets, sample_from_datasets
from headrace.data.multi_device import MultiDeviceIterator
from headrace.data.readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from headrace.data.sources import Counter, RandomDataset, SqlDataset
from headrace.data.stats_aggregator import StatsAggregator

INFINITE, UNKNOWN = INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
CounterV1 = CounterV2 = Counter
RandomDatasetV1 = RandomDatasetV2 = RandomDataset
SqlDatasetV1 = SqlDatasetV2 = SqlDataset
CsvDatasetV1 = CsvDatasetV2 = CsvDataset
TextLineDatasetV1 = TextLineDatasetV2 = TextLineDataset
TFRecordDatasetV1 = TFRecordDatasetV2 = TFRecordDataset
FixedLengthRecordDatasetV1 = FixedLengthRecordDatasetV2 = FixedLengthRecordDataset
StatsAggregatorV1 = StatsAggregatorV2 = StatsAggregator
choose_from_datasets_v1 = choose_from_datasets_v2 = choose_from_datasets
sample_from_datasets_v1 = sample_from_datasets_v2 = sample_from_datasets
make_csv_dataset_v1 = make_csv_dataset_v2 = make_csv_dataset
make_batched_features_dataset_v1 = make_batched_features_dataset_v2 = make_batched_features_dataset

__all__ = ["MultiDeviceIterator", "make_tf_record_dataset"]
