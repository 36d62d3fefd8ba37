# Made by tools/make_stubs.py.

__all__ = ['Tokenizer', 'one_hot', 'text_to_word_sequence']
from headrace.keras.preprocessing.text import Tokenizer as Tokenizer
from headrace.keras.preprocessing.text import one_hot as one_hot
from headrace.keras.preprocessing.text import text_to_word_sequence as text_to_word_sequence
