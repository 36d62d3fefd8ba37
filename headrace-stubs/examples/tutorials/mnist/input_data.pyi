# Made by tools/make_stubs.py.

__all__ = ['DataSet', 'Datasets', 'SOURCE_URL', 'dense_to_one_hot', 'extract_images', 'extract_labels', 'load_mnist', 'maybe_download', 'read_data_sets']
from headrace.datasets.mnist import DataSet as DataSet
from headrace.datasets.mnist import Datasets as Datasets
from headrace.datasets.mnist import SOURCE_URL as SOURCE_URL
from headrace.datasets.mnist import dense_to_one_hot as dense_to_one_hot
from headrace.datasets.mnist import extract_images as extract_images
from headrace.datasets.mnist import extract_labels as extract_labels
from headrace.datasets.mnist import load_mnist as load_mnist
from headrace.datasets.mnist import maybe_download as maybe_download
from headrace.datasets.mnist import read_data_sets as read_data_sets
