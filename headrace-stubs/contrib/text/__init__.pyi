# Made by tools/make_stubs.py.

__all__ = ['skip_gram_sample', 'skip_gram_sample_with_text_vocab']
from headrace.contrib.text import skip_gram_sample as skip_gram_sample
from headrace.contrib.text import skip_gram_sample_with_text_vocab as skip_gram_sample_with_text_vocab
