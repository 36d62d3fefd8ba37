# Made by tools/make_stubs.py.

__all__ = ['boston_housing', 'cifar10', 'cifar100', 'imdb', 'mnist', 'reuters']
from headrace.contrib.keras.datasets import boston_housing as boston_housing
from headrace.contrib.keras.datasets import cifar10 as cifar10
from headrace.contrib.keras.datasets import cifar100 as cifar100
from headrace.contrib.keras.datasets import imdb as imdb
from headrace.contrib.keras.datasets import mnist as mnist
from headrace.contrib.keras.datasets import reuters as reuters
