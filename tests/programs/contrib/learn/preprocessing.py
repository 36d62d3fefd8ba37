"""Texts and categories turned into ids by tf.contrib.learn.preprocessing."""

import os
import tempfile

import numpy as np
from tensorflow.contrib import learn
from tensorflow.contrib.learn.python.learn.preprocessing import VocabularyProcessor, categorical_vocabulary, text

results = {}
DOCUMENTS = ["Whales don't sing in the sea-bed", "NASAx TensorFlow CamelCase é", "the sea the SEA Whales", ""]


def rows(found):
    return np.array(list(found)).tolist()


results["one class"] = text.VocabularyProcessor is VocabularyProcessor is learn.preprocessing.VocabularyProcessor
results["words"] = list(learn.preprocessing.tokenizer(DOCUMENTS))
words = VocabularyProcessor(6)
results["ids"] = rows(words.fit_transform(DOCUMENTS))
results["mapping"] = words.vocabulary_._mapping
results["new words"] = rows(words.transform(["a new sea"]))
results["texts"] = list(words.reverse([[1, 2, 0], [3]]))

frequent = VocabularyProcessor(3, min_frequency=1)
results["frequent"] = [rows(frequent.fit_transform(DOCUMENTS)), len(frequent.vocabulary_), frequent.vocabulary_._freq]


def by_letter(texts):
    return (list(one) for one in texts)


letters = VocabularyProcessor(4, tokenizer_fn=by_letter)
results["letters"] = rows(letters.fit_transform(["abca", "dab"]))

path = os.path.join(tempfile.mkdtemp(), "vocab")
words.save(path)
again = VocabularyProcessor.restore(path)
results["restored"] = [rows(again.transform(DOCUMENTS)), again.max_document_length, again.vocabulary_.get("nothing")]

encoded = list(learn.preprocessing.ByteProcessor(5).transform(["abcdefg", b"x", "é", ""]))
results["bytes"] = [rows(encoded), str(encoded[0].dtype)]
results["bytes back"] = list(learn.preprocessing.ByteProcessor(5).reverse(encoded))

columns = learn.preprocessing.CategoricalProcessor()
table = [["red", 1.5], ["blue", float("nan")], ["red", 2.5]]
results["columns"] = [rows(columns.fit_transform(table)), rows(columns.transform([["green", 2.5]]))]
shared = learn.preprocessing.categorical.CategoricalProcessor(min_frequency=1, share=True)
results["shared"] = rows(shared.fit_transform(np.array([["a", "b"], ["b", "c"], ["b", "a"]])))

vocabulary = categorical_vocabulary.CategoricalVocabulary(unknown_token="?", support_reverse=False)
for letter in "ccbbadde":
    vocabulary.add(letter)
vocabulary.add("e", 4)
vocabulary.trim(1)
results["trimmed"] = [vocabulary._mapping, len(vocabulary), vocabulary.get("z")]
vocabulary.freeze()
results["frozen"] = vocabulary.get("y")
try:
    vocabulary.reverse(1)
except ValueError as error:
    results["no way back"] = type(error).__name__
