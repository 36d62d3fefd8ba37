"""tf.contrib.rnn."""

HOMES: dict[str, str] = {
    "recurrent.block_cells": "GRUBlockCell GRUBlockCellV2 LSTMBlockCell LSTMBlockFusedCell LSTMBlockWrapper",
    "recurrent.convolutional": "Conv1DLSTMCell Conv2DLSTMCell Conv3DLSTMCell ConvLSTMCell",
    "recurrent.frequency": "BidirectionalGridLSTMCell GridLSTMCell TimeFreqLSTMCell",
    "recurrent.fused": "FusedRNNCell FusedRNNCellAdaptor TimeReversedFusedRNN",
    "recurrent.gated": "CFNCell IntersectionRNNCell MinimalRNNCell NASCell SRUCell UGRNNCell",
    "recurrent.independent": "IndRNNCell IndyGRUCell IndyLSTMCell",
    "contrib.rnn.lstm_variants": "CoupledInputForgetGateLSTMCell GLSTMCell LayerNormBasicLSTMCell LayerNormLSTMCell "
    "PhasedLSTMCell WeightNormLSTMCell",
    "recurrent.projections": "EmbeddingWrapper InputProjectionWrapper OutputProjectionWrapper",
    "recurrent.stacking": "stack_bidirectional_dynamic_rnn stack_bidirectional_rnn",
    "recurrent.turing": "NTMCell NTMControllerState",
    "recurrent.attention_wrappers": "AttentionCellWrapper CompiledWrapper HighwayWrapper",
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
