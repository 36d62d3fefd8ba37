# Made by tools/make_stubs.py.

__all__ = ['get_word_index', 'load_data']
from headrace.keras.datasets.imdb import get_word_index as get_word_index
from headrace.keras.datasets.imdb import load_data as load_data
