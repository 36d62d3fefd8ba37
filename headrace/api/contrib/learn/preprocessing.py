"""tf.contrib.learn.preprocessing: texts and categories as ids."""

_TEXT = "ByteProcessor TOKENIZER_RE VocabularyProcessor tokenizer"

HOMES = {
    "contrib.learn.documents": _TEXT,
    "contrib.learn.vocabularies": "CategoricalProcessor CategoricalVocabulary",
}

NESTED = {
    "categorical": {"contrib.learn.vocabularies": "CategoricalProcessor"},
    "categorical_vocabulary": {"contrib.learn.vocabularies": "CategoricalVocabulary"},
    "text": {"contrib.learn.documents": _TEXT, "contrib.learn.vocabularies": "CategoricalVocabulary"},
}
