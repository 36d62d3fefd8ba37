"""tf.contrib.metrics."""

HOMES = {
    "metrics.concat_metrics": "auc_with_confidence_intervals streaming_concat streaming_dynamic_auc",
    "metrics.histograms": "auc_using_histogram",
    "metrics.rates": "f1_score precision_at_recall precision_recall_at_equal_thresholds recall_at_precision "
    "streaming_curve_points streaming_false_negative_rate streaming_false_negative_rate_at_thresholds "
    "streaming_false_negatives_at_thresholds streaming_false_positive_rate "
    "streaming_false_positive_rate_at_thresholds streaming_false_positives_at_thresholds "
    "streaming_true_negatives_at_thresholds streaming_true_positives_at_thresholds",
    "metrics.statistics": "accuracy aggregate_metric_map aggregate_metrics cohen_kappa count "
    "streaming_covariance streaming_pearson_correlation",
    "metrics.legacy_names": "sparse_recall_at_top_k streaming_accuracy streaming_auc streaming_false_negatives "
    "streaming_false_positives streaming_mean_absolute_error streaming_mean_cosine_distance streaming_mean_iou "
    "streaming_mean_relative_error streaming_mean_squared_error streaming_precision "
    "streaming_precision_at_thresholds streaming_recall streaming_recall_at_k streaming_recall_at_thresholds "
    "streaming_root_mean_squared_error streaming_sensitivity_at_specificity streaming_sparse_average_precision_at_k "
    "streaming_sparse_average_precision_at_top_k streaming_sparse_precision_at_k streaming_sparse_precision_at_top_k "
    "streaming_sparse_recall_at_k streaming_specificity_at_sensitivity streaming_true_negatives "
    "streaming_true_positives",
    "functions.confusion": "confusion_matrix",
    "ops.sparse.sets": "set_difference set_intersection set_size set_union",
}

SPELLED = {
    "streaming_mean": "metrics.means.mean",
    "streaming_mean_tensor": "metrics.means.mean_tensor",
    "streaming_percentage_less": "metrics.means.percentage_below",
}
