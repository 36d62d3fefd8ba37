"""tf.keras.utils."""

HOMES: dict[str, str] = {
    "keras.utils.generic_utils": "CustomObjectScope custom_object_scope deserialize_keras_object get_custom_objects "
    "serialize_keras_object",
    "keras.utils.np_utils": "normalize to_categorical",
    "keras.utils.progress": "Progbar",
    "keras.utils.stored_code": "allow_code_in_models",
    "keras.utils.data_utils": "GeneratorEnqueuer OrderedEnqueuer Sequence SequenceEnqueuer",
    "keras.utils.downloads": "get_file",
    "keras.utils.layer_utils": "convert_all_kernels_in_model get_source_inputs",
    "keras.utils.vis_utils": "model_to_dot plot_model",
    "keras.utils.io_utils": "HDF5Matrix",
    "keras.utils.multi_gpu_utils": "multi_gpu_model",
}

SPELLED: dict[str, str] = {}

NESTED: dict[str, dict[str, str]] = {}
