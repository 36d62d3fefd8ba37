# Made by tools/make_stubs.py.

from headrace.contrib.slim.data.dataset_data_provider import DatasetDataProvider as DatasetDataProvider
