"""tf.contrib.learn.utils: exports, their inputs, and which of them to keep."""

HOMES = {
    "contrib.learn.bundle_exports": "export_estimator",
    "contrib.learn.serving_inputs": "InputFnOps build_default_serving_input_fn build_parsing_serving_input_fn",
    "contrib.learn.export_strategy": "make_export_strategy",
}

NESTED = {
    "export": {
        "contrib.learn.bundle_exports": "classification_signature_fn classification_signature_fn_with_prob "
        "export_estimator generic_signature_fn logistic_regression_signature_fn regression_signature_fn",
    },
    "gc": {
        "estimator.gc": "Path get_paths largest_export_versions mod_export_version negation "
        "one_of_every_n_export_versions union",
    },
    "input_fn_utils": {
        "contrib.learn.serving_inputs": "InputFnOps build_default_serving_input_fn build_parsing_serving_input_fn",
    },
    "inspect_checkpoint": {"checkpoints.inspect_checkpoint": "print_tensors_in_checkpoint_file"},
    "saved_model_export_utils": {
        "contrib.learn.export_strategy": "BestModelSelector MAX_DIRECTORY_CREATION_ATTEMPTS extend_export_strategy "
        "garbage_collect_exports get_most_recent_export get_temp_export_dir get_timestamped_export_dir "
        "make_best_model_export_strategy make_export_strategy "
        "make_parsing_export_strategy",
        "contrib.learn.signatures": "DEFAULT_INPUT_ALTERNATIVE_KEY FEATURES_INPUT_ALTERNATIVE_KEY "
        "build_all_signature_defs build_standardized_signature_def get_input_alternatives get_output_alternatives",
        "estimator.util": "get_timestamped_dir",
    },
}
