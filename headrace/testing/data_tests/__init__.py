"""The base classes of tests of datasets in 1.15's own modules, for tests written on them.

The names are 1.15's, underscores included, since tests call them.
"""

from headrace.testing.data_tests.checkpoints import DatasetSerializationTestBase, remove_variants
from headrace.testing.data_tests.elements import DatasetTestBase, default_test_combinations
from headrace.testing.data_tests.measurements import StatsDatasetTestBase
from headrace.testing.data_tests.readers import (
    FixedLengthRecordDatasetTestBase,
    MakeBatchedFeaturesDatasetTestBase,
    TextLineDatasetTestBase,
    TFRecordDatasetTestBase,
)

__all__ = [
    "DatasetSerializationTestBase",
    "DatasetTestBase",
    "FixedLengthRecordDatasetTestBase",
    "MakeBatchedFeaturesDatasetTestBase",
    "StatsDatasetTestBase",
    "TFRecordDatasetTestBase",
    "TextLineDatasetTestBase",
    "default_test_combinations",
    "remove_variants",
]
