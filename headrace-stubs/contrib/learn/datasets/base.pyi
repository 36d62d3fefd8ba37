# Made by tools/make_stubs.py.

__all__ = ['Dataset', 'Datasets', 'load_boston', 'load_csv_with_header', 'load_csv_without_header', 'load_iris', 'maybe_download', 'retry', 'shrink_csv', 'urlretrieve_with_retry']
from headrace.datasets.csv_tables import Dataset as Dataset
from headrace.datasets.csv_tables import Datasets as Datasets
from headrace.datasets.csv_tables import load_boston as load_boston
from headrace.datasets.csv_tables import load_csv_with_header as load_csv_with_header
from headrace.datasets.csv_tables import load_csv_without_header as load_csv_without_header
from headrace.datasets.csv_tables import load_iris as load_iris
from headrace.datasets.downloading import maybe_download as maybe_download
from headrace.datasets.downloading import retry as retry
from headrace.datasets.csv_tables import shrink_csv as shrink_csv
from headrace.datasets.downloading import urlretrieve_with_retry as urlretrieve_with_retry
