"""tf.contrib.lookup: lookup tables."""

HOMES: dict[str, str] = {
    "lookup.functions": "index_table_from_file index_to_string index_to_string_table_from_file string_to_index "
    "string_to_index_table_from_file string_to_index_table_from_tensor",
    "lookup.initializers": "KeyValueTensorInitializer TableInitializerBase TextFileIdTableInitializer TextFileIndex "
    "TextFileInitializer TextFileStringTableInitializer",
    "lookup.tables": "FastHashSpec HashTable HasherSpec IdTableWithHashBuckets InitializableLookupTableBase "
    "LookupInterface MutableDenseHashTable MutableHashTable StrongHashSpec",
}

SPELLED: dict[str, str] = {
    "index_table_from_tensor": "lookup.functions.index_table_from_mapping",
    "index_to_string_table_from_tensor": "lookup.functions.index_to_string_table_from_mapping",
}
