# Made by tools/make_stubs.py.

__all__ = ['TimeseriesGenerator', 'make_sampling_table', 'pad_sequences', 'skipgrams']
from headrace.keras.preprocessing.sequence import TimeseriesGenerator as TimeseriesGenerator
from headrace.keras.preprocessing.sequence import make_sampling_table as make_sampling_table
from headrace.keras.preprocessing.sequence import pad_sequences as pad_sequences
from headrace.keras.preprocessing.sequence import skipgrams as skipgrams
