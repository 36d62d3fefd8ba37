"""tf.lookup: lookup tables."""

HOMES: dict[str, str] = {
    "lookup.initializers": "KeyValueTensorInitializer TextFileIndex TextFileInitializer",
    "lookup.tables": "StaticHashTable",
    "lookup.bucketed_tables": "StaticVocabularyTable",
}

NESTED: dict[str, dict[str, str]] = {
    "experimental": {"lookup.mutable_tables": "DenseHashTable"},
}
