# Made by tools/make_stubs.py.

__all__ = ['DatasetDataProvider']
from headrace.contrib.slim.data.dataset_data_provider import DatasetDataProvider as DatasetDataProvider
