# Made by tools/make_stubs.py.

from headrace.keras.datasets.reuters import get_word_index as get_word_index
from headrace.keras.datasets.reuters import load_data as load_data
