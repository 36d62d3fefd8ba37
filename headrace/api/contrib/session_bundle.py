"""tf.contrib.session_bundle: exported models before SavedModels, written and read."""

NESTED = {
    "bundle_shim": {"contrib.session_bundle.loading": "load_session_bundle_or_saved_model_bundle_from_path"},
    "constants": {
        "contrib.session_bundle.constants": "ASSETS_DIRECTORY ASSETS_KEY CLASSIFICATION_SIGNATURE EXPORT_BASE_NAME "
        "EXPORT_SUFFIX_NAME GENERIC_SIGNATURE GRAPH_KEY INIT_OP_KEY META_GRAPH_DEF_FILENAME REGRESSION_SIGNATURE "
        "SIGNATURES_KEY VARIABLES_FILENAME VARIABLES_FILENAME_PATTERN VARIABLES_FILENAME_PATTERN_V2 "
        "VARIABLES_INDEX_FILENAME_V2 VERSION_FORMAT_SPECIFIER",
    },
    "exporter": {
        "contrib.session_bundle.exporter": "Exporter classification_signature generic_signature gfile_copy_callback "
        "regression_signature",
    },
    "gc": {
        "estimator.gc": "Path get_paths largest_export_versions mod_export_version negation "
        "one_of_every_n_export_versions union",
    },
    "manifest_pb2": {
        "messages.session_bundle_protos": "AssetFile ClassificationSignature GenericSignature RegressionSignature "
        "Signature Signatures TensorBinding",
    },
    "session_bundle": {
        "contrib.session_bundle.loading": "load_session_bundle_from_path maybe_session_bundle_dir",
        "contrib.session_bundle.signatures": "get_classification_signature get_named_signature get_regression_signature "
        "get_signatures",
    },
}
