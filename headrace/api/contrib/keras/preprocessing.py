"""tf.contrib.keras.preprocessing, as it was before `tf.keras`."""

NESTED = {
    "image": {
        "keras.preprocessing.image": "DirectoryIterator ImageDataGenerator Iterator NumpyArrayIterator array_to_img "
        "img_to_array load_img random_channel_shift random_rotation random_shear random_shift "
        "random_zoom"
    },
    "sequence": {"keras.preprocessing.sequence": "make_sampling_table pad_sequences skipgrams"},
    "text": {"keras.preprocessing.text": "Tokenizer one_hot text_to_word_sequence"},
}
