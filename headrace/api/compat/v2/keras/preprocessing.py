"""tf.compat.v2.keras.preprocessing: the names that mean the same in 1.x."""

NESTED = {
    "image": {
        "keras.preprocessing.image": "DirectoryIterator ImageDataGenerator Iterator NumpyArrayIterator "
        "apply_affine_transform apply_brightness_shift apply_channel_shift array_to_img "
        "img_to_array load_img random_brightness random_channel_shift random_rotation "
        "random_shear random_shift random_zoom save_img"
    },
    "sequence": {"keras.preprocessing.sequence": "TimeseriesGenerator make_sampling_table pad_sequences skipgrams"},
    "text": {"keras.preprocessing.text": "Tokenizer hashing_trick one_hot text_to_word_sequence"},
}
