"""tf.contrib.lookup: lookup tables."""

HOMES: dict[str, str] = {
    "lookup.vocabularies": "index_table_from_file index_to_string index_to_string_table_from_file string_to_index "
    "string_to_index_table_from_file string_to_index_table_from_tensor",
    "lookup.initializers": "KeyValueTensorInitializer TableInitializerBase TextFileIdTableInitializer TextFileIndex "
    "TextFileInitializer TextFileStringTableInitializer",
    "lookup.tables": "HashTable InitializableLookupTableBase LookupInterface",
    "lookup.mutable_tables": "MutableDenseHashTable MutableHashTable",
    "lookup.bucketed_tables": "FastHashSpec HasherSpec IdTableWithHashBuckets StrongHashSpec",
}

SPELLED: dict[str, str] = {
    "index_table_from_tensor": "lookup.vocabularies.index_table_from_mapping",
    "index_to_string_table_from_tensor": "lookup.vocabularies.index_to_string_table_from_mapping",
}
