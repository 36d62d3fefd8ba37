"""tf.contrib.model_pruning: masks, the ops that update them, layers and cells that have them."""

HOMES = {
    "contrib.model_pruning.layers": "masked_conv2d masked_convolution masked_fully_connected",
    "contrib.model_pruning.learning": "train",
    "contrib.model_pruning.masks": "apply_mask get_masked_weights get_masks get_thresholds get_weight_sparsity get_weights",
    "contrib.model_pruning.pruning": "Pruning get_pruning_hparams",
    "contrib.model_pruning.rnn_cells": "MaskedBasicLSTMCell MaskedLSTMCell",
    "contrib.model_pruning.stripping": "graph_def_from_checkpoint strip_pruning_vars_fn",
}
