"""tf.contrib.rnn."""

HOMES: dict[str, str] = {
    "recurrent.basic_cells": "BasicRNNCell GRUCell",
    "recurrent.cell": "LayerRNNCell RNNCell",
    "recurrent.lstm_cells": "BasicLSTMCell LSTMCell LSTMStateTuple",
    "recurrent.multi_cell": "MultiRNNCell",
    "recurrent.static": "static_bidirectional_rnn static_rnn static_state_saving_rnn",
    "recurrent.wrappers": "DeviceWrapper DropoutWrapper ResidualWrapper",
}

SPELLED: dict[str, str] = {}
