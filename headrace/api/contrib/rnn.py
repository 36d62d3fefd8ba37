"""tf.contrib.rnn."""

HOMES: dict[str, str] = {
    "contrib.rnn.block_cells": "GRUBlockCell GRUBlockCellV2 LSTMBlockCell LSTMBlockFusedCell LSTMBlockWrapper",
    "contrib.rnn.convolutional": "Conv1DLSTMCell Conv2DLSTMCell Conv3DLSTMCell ConvLSTMCell",
    "contrib.rnn.frequency": "BidirectionalGridLSTMCell GridLSTMCell TimeFreqLSTMCell",
    "contrib.rnn.fused": "FusedRNNCell FusedRNNCellAdaptor TimeReversedFusedRNN",
    "contrib.rnn.gated": "CFNCell IntersectionRNNCell MinimalRNNCell NASCell SRUCell UGRNNCell",
    "contrib.rnn.independent": "IndRNNCell IndyGRUCell IndyLSTMCell",
    "contrib.rnn.lstm_variants": "CoupledInputForgetGateLSTMCell GLSTMCell LayerNormBasicLSTMCell LayerNormLSTMCell "
    "PhasedLSTMCell WeightNormLSTMCell",
    "contrib.rnn.projections": "EmbeddingWrapper InputProjectionWrapper OutputProjectionWrapper",
    "contrib.rnn.stacking": "stack_bidirectional_dynamic_rnn stack_bidirectional_rnn",
    "contrib.rnn.turing": "NTMCell NTMControllerState",
    "contrib.rnn.wrappers": "AttentionCellWrapper CompiledWrapper HighwayWrapper",
    "recurrent.basic_cells": "BasicRNNCell GRUCell",
    "recurrent.cell": "LayerRNNCell RNNCell",
    "recurrent.linear": "_Linear _linear",
    "recurrent.lstm_cells": "BasicLSTMCell LSTMCell LSTMStateTuple",
    "recurrent.multi_cell": "MultiRNNCell",
    "recurrent.static": "static_bidirectional_rnn static_rnn static_state_saving_rnn",
    "recurrent.steps": "transpose_batch_time",
    "recurrent.wrappers": "DeviceWrapper DropoutWrapper ResidualWrapper",
}

SPELLED: dict[str, str] = {
    "best_effort_input_batch_size": "recurrent.steps.batch_size_of",
}
