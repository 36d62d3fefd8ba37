"""tf.compat.v2.keras.utils: the names that mean the same in 1.x."""

HOMES = {
    "keras.utils": "CustomObjectScope GeneratorEnqueuer HDF5Matrix OrderedEnqueuer Progbar Sequence "
    "SequenceEnqueuer convert_all_kernels_in_model custom_object_scope "
    "deserialize_keras_object get_custom_objects get_file get_source_inputs model_to_dot "
    "multi_gpu_model normalize plot_model serialize_keras_object to_categorical",
}
