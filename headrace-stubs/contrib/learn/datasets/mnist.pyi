# Made by tools/make_stubs.py.

__all__ = ['DEFAULT_SOURCE_URL', 'DataSet', 'Datasets', 'dense_to_one_hot', 'extract_images', 'extract_labels', 'load_mnist', 'read_data_sets']
from headrace.datasets.mnist import DEFAULT_SOURCE_URL as DEFAULT_SOURCE_URL
from headrace.datasets.mnist import DataSet as DataSet
from headrace.datasets.mnist import Datasets as Datasets
from headrace.datasets.mnist import dense_to_one_hot as dense_to_one_hot
from headrace.datasets.mnist import extract_images as extract_images
from headrace.datasets.mnist import extract_labels as extract_labels
from headrace.datasets.mnist import load_mnist as load_mnist
from headrace.datasets.mnist import read_data_sets as read_data_sets
