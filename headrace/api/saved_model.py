"""tf.saved_model: graphs with their variables and signatures in a folder."""

_SIGNATURES = "build_signature_def classification_signature_def is_valid_signature predict_signature_def "
_SIGNATURES += "regression_signature_def"
_SIGNATURE_NAMES = "CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES CLASSIFY_OUTPUT_SCORES "
_SIGNATURE_NAMES += "DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS "
_SIGNATURE_NAMES += "REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS"
_FILE_NAMES = "ASSETS_DIRECTORY ASSETS_KEY LEGACY_INIT_OP_KEY MAIN_OP_KEY SAVED_MODEL_FILENAME_PB "
_FILE_NAMES += "SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION VARIABLES_DIRECTORY VARIABLES_FILENAME"
_TAGS = "GPU SERVING TPU TRAINING"

HOMES = {
    "saved_model.init_ops": "main_op_with_restore",
    "saved_model.loading": "contains_saved_model load maybe_saved_model_directory",
    "saved_model.names": f"{_SIGNATURE_NAMES} {_FILE_NAMES} {_TAGS}",
    "saved_model.objects_writing": "save",
    "saved_model.signatures": f"{_SIGNATURES} build_tensor_info get_tensor_from_tensor_info",
    "saved_model.writing": "simple_save",
}

SPELLED = {"Builder": "saved_model.writing.SavedModelBuilder", "load_v2": "saved_model.objects_loading.load"}

NESTED = {
    "builder": {"saved_model.writing": "SavedModelBuilder"},
    "experimental": {"saved_model.objects_writing": "save"},
    "constants": {"saved_model.names": _FILE_NAMES},
    "loader": {"saved_model.loading": "load maybe_saved_model_directory"},
    "main_op": {"saved_model.init_ops": "main_op main_op_with_restore"},
    "signature_constants": {"saved_model.names": _SIGNATURE_NAMES},
    "signature_def_utils": {"saved_model.signatures": _SIGNATURES},
    "tag_constants": {"saved_model.names": f"{_TAGS} EVAL"},
    "utils": {"saved_model.signatures": "build_tensor_info get_tensor_from_tensor_info"},
}
