"""tf.keras.preprocessing."""

HOMES: dict[str, str] = {}

SPELLED: dict[str, str] = {}

NESTED: dict[str, dict[str, str]] = {
    "image": {
        "keras.preprocessing.image": "ImageDataGenerator",
        "keras.preprocessing.image_files": "array_to_img img_to_array load_img save_img",
        "keras.preprocessing.image_folders": "DirectoryIterator",
        "keras.preprocessing.image_iterators": "Iterator NumpyArrayIterator",
        "keras.preprocessing.image_transforms": "apply_affine_transform apply_brightness_shift apply_channel_shift "
        "random_brightness random_channel_shift random_rotation random_shear random_shift random_zoom",
    },
    "sequence": {
        "keras.preprocessing.sequence": "TimeseriesGenerator make_sampling_table pad_sequences skipgrams",
    },
    "text": {
        "keras.preprocessing.text": "Tokenizer hashing_trick one_hot text_to_word_sequence tokenizer_from_json",
    },
}
