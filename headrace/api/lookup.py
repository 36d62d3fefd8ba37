"""tf.lookup: lookup tables."""

HOMES: dict[str, str] = {
    "lookup.initializers": "KeyValueTensorInitializer TextFileIndex TextFileInitializer",
    "lookup.tables": "StaticHashTable StaticVocabularyTable",
}

NESTED: dict[str, dict[str, str]] = {
    "experimental": {"lookup.tables": "DenseHashTable"},
}
