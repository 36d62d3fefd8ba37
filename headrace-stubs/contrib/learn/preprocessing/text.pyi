# Made by tools/make_stubs.py.

__all__ = ['ByteProcessor', 'CategoricalVocabulary', 'TOKENIZER_RE', 'VocabularyProcessor', 'tokenizer']
from headrace.contrib.learn.documents import ByteProcessor as ByteProcessor
from headrace.contrib.learn.vocabularies import CategoricalVocabulary as CategoricalVocabulary
from headrace.contrib.learn.documents import TOKENIZER_RE as TOKENIZER_RE
from headrace.contrib.learn.documents import VocabularyProcessor as VocabularyProcessor
from headrace.contrib.learn.documents import tokenizer as tokenizer
