"""tf.contrib.cudnn_rnn."""

HOMES: dict[str, str] = {
    "contrib.cudnn_rnn.cells": "CudnnCompatibleGRUCell CudnnCompatibleLSTMCell",
    "contrib.cudnn_rnn.converters": "CudnnParamsFormatConverterGRU CudnnParamsFormatConverterLSTM "
    "CudnnParamsFormatConverterRelu CudnnParamsFormatConverterTanh",
    "contrib.cudnn_rnn.layers": "CudnnGRU CudnnLSTM CudnnRNNRelu CudnnRNNTanh",
    "contrib.cudnn_rnn.saveables": "CudnnGRUSaveable CudnnLSTMSaveable CudnnRNNReluSaveable CudnnRNNTanhSaveable",
}

# Constants of 1.x's modules of ops, which its modules of layers repeat.
EVERY = "contrib.cudnn_rnn.cudnn_rnn_ops"
