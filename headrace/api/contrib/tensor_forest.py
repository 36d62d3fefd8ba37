"""tf.contrib.tensor_forest: random forests that are grown from streams of examples."""

_DATA = "CastToFloat DATA_CATEGORICAL DATA_FLOAT DTYPE_TO_FTYPE DataColumn DataColumnCollection GetColumnName "
_DATA += "ParseDataTensorOrDict ParseLabelTensorOrDict TensorForestDataSpec"
_FOREST = "ForestVariables RandomForestGraphs RandomTreeGraphs TreeVariables get_epoch_variable"
_PARAMS = "CLASSIFICATION_LEAF_MODEL_TYPES FINISH_TYPES ForestHParams PRUNING_TYPES REGRESSION_MODEL_TYPE SPLIT_TYPES "
_PARAMS += "build_params_proto parse_number_or_string_to_proto"
_METRICS = "FEATURE_IMPORTANCE_NAME INFERENCE_PRED_NAME INFERENCE_PROB_NAME get_metric get_prediction_key"
_CLIENT = "ALL_SERVING_KEY EPSILON KEYS_NAME LOSS_NAME ModelBuilderOutputType MultiForestMultiHeadEstimator "
_CLIENT += "TREE_PATHS_PREDICTION_KEY TensorForestEstimator TensorForestLossHook TensorForestRunOpAtEndHook "
_CLIENT += "VARIANCE_PREDICTION_KEY get_combined_model_fn get_model_fn"

NESTED = {
    "data_ops": {"contrib.tensor_forest.data_spec": _DATA},
    "eval_metrics": {"contrib.tensor_forest.eval_metrics": _METRICS},
    "model_ops": {"contrib.tensor_forest.tree_variable": "TreeVariable TreeVariableSavable tree_variable"},
    "random_forest": {
        "contrib.tensor_forest.random_forest": _CLIENT,
        "contrib.tensor_forest.core_random_forest": "CoreTensorForestEstimator",
    },
    "stats_ops": {
        "contrib.tensor_forest.stats_variable": "FertileStatsVariable FertileStatsVariableSavable fertile_stats_variable",
    },
    "tensor_forest": {"contrib.tensor_forest.forest": _FOREST, "contrib.tensor_forest.forest_params": _PARAMS},
}
