"""Bases of layers under the names that Keras gave them, for programs that derive layers of their own from them."""

from __future__ import annotations

from headrace.keras.layers.convolutional_recurrent import ConvLSTM2DCell as ConvLSTM2DCell
from headrace.keras.layers.convolutional_recurrent import ConvRNN2D as ConvRNN2D
from headrace.keras.layers.convolutional_recurrent import ConvRNN2D as ConvRecurrent2D
from headrace.keras.layers.cudnn_recurrent import _CuDNNRNN as _CuDNNRNN
from headrace.keras.layers.merge import Merge as _Merge
from headrace.keras.layers.pooling import GlobalPooling1D as _GlobalPooling1D
from headrace.keras.layers.pooling import GlobalPooling2D as _GlobalPooling2D
from headrace.keras.layers.pooling import GlobalPooling3D as _GlobalPooling3D
from headrace.keras.layers.recurrent_internals import _generate_dropout_mask as _generate_dropout_mask
from headrace.keras.layers.recurrent_internals import _standardize_args as _standardize_args
from headrace.keras.standalone.legacy_activations import ParametricSoftplus as ParametricSoftplus
from headrace.keras.standalone.legacy_activations import SReLU as SReLU
from headrace.keras.standalone.legacy_recurrent import Recurrent as Recurrent
from headrace.keras.standalone.legacy_recurrent import time_distributed_dense as time_distributed_dense
from headrace.layers.convolutional import Conv as _Conv
from headrace.layers.pooling import Pooling1D as _Pooling1D
from headrace.layers.pooling import Pooling2D as _Pooling2D
from headrace.layers.pooling import Pooling3D as _Pooling3D

_time_distributed_dense = time_distributed_dense

__all__ = [
    "ConvLSTM2DCell",
    "ConvRNN2D",
    "ConvRecurrent2D",
    "ParametricSoftplus",
    "Recurrent",
    "SReLU",
    "_Conv",
    "_CuDNNRNN",
    "_GlobalPooling1D",
    "_GlobalPooling2D",
    "_GlobalPooling3D",
    "_Merge",
    "_Pooling1D",
    "_Pooling2D",
    "_Pooling3D",
    "_generate_dropout_mask",
    "_standardize_args",
    "_time_distributed_dense",
    "time_distributed_dense",
]
