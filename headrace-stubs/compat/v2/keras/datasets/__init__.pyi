# Made by tools/make_stubs.py.

__all__ = ['boston_housing', 'cifar10', 'cifar100', 'fashion_mnist', 'imdb', 'mnist', 'reuters']
from headrace.compat.v2.keras.datasets import boston_housing as boston_housing
from headrace.compat.v2.keras.datasets import cifar10 as cifar10
from headrace.compat.v2.keras.datasets import cifar100 as cifar100
from headrace.compat.v2.keras.datasets import fashion_mnist as fashion_mnist
from headrace.compat.v2.keras.datasets import imdb as imdb
from headrace.compat.v2.keras.datasets import mnist as mnist
from headrace.compat.v2.keras.datasets import reuters as reuters
