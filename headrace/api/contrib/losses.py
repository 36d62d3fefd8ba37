"""tf.contrib.losses."""

HOMES = {
    "contrib.losses.predictions_first": "absolute_difference add_loss compute_weighted_loss cosine_distance get_losses "
    "get_regularization_losses get_total_loss hinge_loss log_loss mean_pairwise_squared_error mean_squared_error "
    "sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy",
}

SPELLED = {
    # Before 0.12.
    "sum_of_pairwise_squares": "contrib.losses.predictions_first.mean_pairwise_squared_error",
    "sum_of_squares": "contrib.losses.predictions_first.mean_squared_error",
}

NESTED = {
    "metric_learning": {
        "losses.clustering": "cluster_loss",
        "losses.metric_learning": "contrastive_loss lifted_struct_loss npairs_loss npairs_loss_multilabel "
        "triplet_semihard_loss",
    },
}
