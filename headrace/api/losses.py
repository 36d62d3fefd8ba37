"""tf.losses."""

HOMES = {
    "losses.collecting": "add_loss get_losses get_regularization_loss get_regularization_losses get_total_loss",
    "losses.supervised": "absolute_difference cosine_distance hinge_loss huber_loss log_loss mean_pairwise_squared_error "
    "mean_squared_error sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy",
    "losses.weighting": "Reduction compute_weighted_loss",
}
