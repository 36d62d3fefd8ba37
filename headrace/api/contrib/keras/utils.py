"""tf.contrib.keras.utils, as it was before `tf.keras`."""

HOMES = {
    "keras.utils": "CustomObjectScope GeneratorEnqueuer HDF5Matrix Progbar Sequence SequenceEnqueuer "
    "convert_all_kernels_in_model custom_object_scope deserialize_keras_object "
    "get_custom_objects get_file normalize plot_model serialize_keras_object "
    "to_categorical",
}
