# Made by tools/make_stubs.py.

__all__ = ['ByteProcessor', 'CategoricalProcessor', 'CategoricalVocabulary', 'TOKENIZER_RE', 'VocabularyProcessor', 'categorical', 'categorical_vocabulary', 'text', 'tokenizer']
from headrace.contrib.learn.documents import ByteProcessor as ByteProcessor
from headrace.contrib.learn.vocabularies import CategoricalProcessor as CategoricalProcessor
from headrace.contrib.learn.vocabularies import CategoricalVocabulary as CategoricalVocabulary
from headrace.contrib.learn.documents import TOKENIZER_RE as TOKENIZER_RE
from headrace.contrib.learn.documents import VocabularyProcessor as VocabularyProcessor
from headrace.contrib.learn.preprocessing import categorical as categorical
from headrace.contrib.learn.preprocessing import categorical_vocabulary as categorical_vocabulary
from headrace.contrib.learn.preprocessing import text as text
from headrace.contrib.learn.documents import tokenizer as tokenizer
