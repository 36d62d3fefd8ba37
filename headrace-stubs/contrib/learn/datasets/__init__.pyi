# Made by tools/make_stubs.py.

__all__ = ['DATASETS', 'SYNTHETIC', 'base', 'load_boston', 'load_dataset', 'load_iris', 'make_dataset', 'mnist', 'produce_small_datasets', 'synthetic', 'text_datasets']
from headrace.datasets.catalogue import DATASETS as DATASETS
from headrace.datasets.catalogue import SYNTHETIC as SYNTHETIC
from headrace.contrib.learn.datasets import base as base
from headrace.datasets.csv_tables import load_boston as load_boston
from headrace.datasets.catalogue import load_dataset as load_dataset
from headrace.datasets.csv_tables import load_iris as load_iris
from headrace.datasets.catalogue import make_dataset as make_dataset
from headrace.contrib.learn.datasets import mnist as mnist
from headrace.contrib.learn.datasets import produce_small_datasets as produce_small_datasets
from headrace.contrib.learn.datasets import synthetic as synthetic
from headrace.contrib.learn.datasets import text_datasets as text_datasets
