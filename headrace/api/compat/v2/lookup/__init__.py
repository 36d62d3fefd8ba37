"""tf.compat.v2.lookup: the names that mean the same in 1.x."""

HOMES = {
    "lookup": "KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileIndex TextFileInitializer",
}
