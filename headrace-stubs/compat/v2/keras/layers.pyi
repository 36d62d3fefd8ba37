# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['AbstractRNNCell', 'Activation', 'ActivityRegularization', 'Add', 'AdditiveAttention', 'AlphaDropout', 'Attention', 'Average', 'AveragePooling1D', 'AveragePooling2D', 'AveragePooling3D', 'AvgPool1D', 'AvgPool2D', 'AvgPool3D', 'BatchNormalization', 'Bidirectional', 'Concatenate', 'Conv1D', 'Conv2D', 'Conv2DTranspose', 'Conv3D', 'Conv3DTranspose', 'ConvLSTM2D', 'Convolution1D', 'Convolution2D', 'Convolution2DTranspose', 'Convolution3D', 'Convolution3DTranspose', 'Cropping1D', 'Cropping2D', 'Cropping3D', 'Dense', 'DenseFeatures', 'DepthwiseConv2D', 'Dot', 'Dropout', 'ELU', 'Embedding', 'Flatten', 'GRU', 'GRUCell', 'GaussianDropout', 'GaussianNoise', 'GlobalAveragePooling1D', 'GlobalAveragePooling2D', 'GlobalAveragePooling3D', 'GlobalAvgPool1D', 'GlobalAvgPool2D', 'GlobalAvgPool3D', 'GlobalMaxPool1D', 'GlobalMaxPool2D', 'GlobalMaxPool3D', 'GlobalMaxPooling1D', 'GlobalMaxPooling2D', 'GlobalMaxPooling3D', 'Input', 'InputLayer', 'InputSpec', 'LSTM', 'LSTMCell', 'Lambda', 'Layer', 'LayerNormalization', 'LeakyReLU', 'LocallyConnected1D', 'LocallyConnected2D', 'Masking', 'MaxPool1D', 'MaxPool2D', 'MaxPool3D', 'MaxPooling1D', 'MaxPooling2D', 'MaxPooling3D', 'Maximum', 'Minimum', 'Multiply', 'PReLU', 'Permute', 'RNN', 'ReLU', 'RepeatVector', 'Reshape', 'SeparableConv1D', 'SeparableConv2D', 'SeparableConvolution1D', 'SeparableConvolution2D', 'SimpleRNN', 'SimpleRNNCell', 'Softmax', 'SpatialDropout1D', 'SpatialDropout2D', 'SpatialDropout3D', 'StackedRNNCells', 'Subtract', 'ThresholdedReLU', 'TimeDistributed', 'UpSampling1D', 'UpSampling2D', 'UpSampling3D', 'Wrapper', 'ZeroPadding1D', 'ZeroPadding2D', 'ZeroPadding3D', 'add', 'average', 'concatenate', 'deserialize', 'dot', 'maximum', 'minimum', 'multiply', 'serialize', 'subtract']
from headrace.keras.layers.recurrent_cells import AbstractRNNCell as AbstractRNNCell
from headrace.keras.layers.core import Activation as Activation
from headrace.keras.layers.core import ActivityRegularization as ActivityRegularization
from headrace.keras.layers.merge import Add as Add
from headrace.keras.layers.dense_attention import AdditiveAttention as AdditiveAttention
from headrace.keras.layers.noise import AlphaDropout as AlphaDropout
from headrace.keras.layers.dense_attention import Attention as Attention
from headrace.keras.layers.merge import Average as Average
from headrace.layers.pooling import AveragePooling1D as AveragePooling1D
from headrace.layers.pooling import AveragePooling2D as AveragePooling2D
from headrace.layers.pooling import AveragePooling3D as AveragePooling3D
AvgPool1D: Any
AvgPool2D: Any
AvgPool3D: Any
from headrace.keras.layers.normalization_v2 import BatchNormalization as BatchNormalization
from headrace.keras.layers.bidirectional import Bidirectional as Bidirectional
from headrace.keras.layers.merge import Concatenate as Concatenate
from headrace.layers.convolutional import Conv1D as Conv1D
from headrace.layers.convolutional import Conv2D as Conv2D
from headrace.layers.transposed import Conv2DTranspose as Conv2DTranspose
from headrace.layers.convolutional import Conv3D as Conv3D
from headrace.layers.transposed import Conv3DTranspose as Conv3DTranspose
from headrace.keras.layers.convolutional_recurrent import ConvLSTM2D as ConvLSTM2D
Convolution1D: Any
Convolution2D: Any
Convolution2DTranspose: Any
Convolution3D: Any
Convolution3DTranspose: Any
from headrace.keras.layers.cropping import Cropping1D as Cropping1D
from headrace.keras.layers.cropping import Cropping2D as Cropping2D
from headrace.keras.layers.cropping import Cropping3D as Cropping3D
from headrace.layers.core import Dense as Dense
from headrace.feature_column.features_layer import DenseFeatures as DenseFeatures
from headrace.keras.layers.convolutional import DepthwiseConv2D as DepthwiseConv2D
from headrace.keras.layers.merge import Dot as Dot
from headrace.layers.core import Dropout as Dropout
from headrace.keras.layers.advanced_activations import ELU as ELU
from headrace.keras.layers.embeddings import Embedding as Embedding
from headrace.layers.core import Flatten as Flatten
from headrace.keras.layers.recurrent_v2 import GRU as GRU
from headrace.keras.layers.recurrent_v2 import GRUCell as GRUCell
from headrace.keras.layers.noise import GaussianDropout as GaussianDropout
from headrace.keras.layers.noise import GaussianNoise as GaussianNoise
from headrace.keras.layers.pooling import GlobalAveragePooling1D as GlobalAveragePooling1D
from headrace.keras.layers.pooling import GlobalAveragePooling2D as GlobalAveragePooling2D
from headrace.keras.layers.pooling import GlobalAveragePooling3D as GlobalAveragePooling3D
GlobalAvgPool1D: Any
GlobalAvgPool2D: Any
GlobalAvgPool3D: Any
GlobalMaxPool1D: Any
GlobalMaxPool2D: Any
GlobalMaxPool3D: Any
from headrace.keras.layers.pooling import GlobalMaxPooling1D as GlobalMaxPooling1D
from headrace.keras.layers.pooling import GlobalMaxPooling2D as GlobalMaxPooling2D
from headrace.keras.layers.pooling import GlobalMaxPooling3D as GlobalMaxPooling3D
from headrace.keras.engine.input_layer import Input as Input
from headrace.keras.engine.input_layer import InputLayer as InputLayer
from headrace.layers.input_spec import InputSpec as InputSpec
from headrace.keras.layers.recurrent_v2 import LSTM as LSTM
from headrace.keras.layers.recurrent_v2 import LSTMCell as LSTMCell
from headrace.keras.layers.lambda_layer import Lambda as Lambda
from headrace.layers.engine import Layer as Layer
from headrace.keras.layers.normalization import LayerNormalization as LayerNormalization
from headrace.keras.layers.advanced_activations import LeakyReLU as LeakyReLU
from headrace.keras.layers.local import LocallyConnected1D as LocallyConnected1D
from headrace.keras.layers.local import LocallyConnected2D as LocallyConnected2D
from headrace.keras.layers.core import Masking as Masking
MaxPool1D: Any
MaxPool2D: Any
MaxPool3D: Any
from headrace.layers.pooling import MaxPooling1D as MaxPooling1D
from headrace.layers.pooling import MaxPooling2D as MaxPooling2D
from headrace.layers.pooling import MaxPooling3D as MaxPooling3D
from headrace.keras.layers.merge import Maximum as Maximum
from headrace.keras.layers.merge import Minimum as Minimum
from headrace.keras.layers.merge import Multiply as Multiply
from headrace.keras.layers.advanced_activations import PReLU as PReLU
from headrace.keras.layers.core import Permute as Permute
from headrace.keras.layers.recurrent_base import RNN as RNN
from headrace.keras.layers.advanced_activations import ReLU as ReLU
from headrace.keras.layers.core import RepeatVector as RepeatVector
from headrace.keras.layers.core import Reshape as Reshape
from headrace.layers.separable import SeparableConv1D as SeparableConv1D
from headrace.layers.separable import SeparableConv2D as SeparableConv2D
SeparableConvolution1D: Any
SeparableConvolution2D: Any
from headrace.keras.layers.recurrent_simple import SimpleRNN as SimpleRNN
from headrace.keras.layers.recurrent_simple import SimpleRNNCell as SimpleRNNCell
from headrace.keras.layers.advanced_activations import Softmax as Softmax
from headrace.keras.layers.core import SpatialDropout1D as SpatialDropout1D
from headrace.keras.layers.core import SpatialDropout2D as SpatialDropout2D
from headrace.keras.layers.core import SpatialDropout3D as SpatialDropout3D
from headrace.keras.layers.recurrent_stacked import StackedRNNCells as StackedRNNCells
from headrace.keras.layers.merge import Subtract as Subtract
from headrace.keras.layers.advanced_activations import ThresholdedReLU as ThresholdedReLU
from headrace.keras.layers.wrappers import TimeDistributed as TimeDistributed
from headrace.keras.layers.upsampling import UpSampling1D as UpSampling1D
from headrace.keras.layers.upsampling import UpSampling2D as UpSampling2D
from headrace.keras.layers.upsampling import UpSampling3D as UpSampling3D
from headrace.keras.layers.wrappers import Wrapper as Wrapper
from headrace.keras.layers.cropping import ZeroPadding1D as ZeroPadding1D
from headrace.keras.layers.cropping import ZeroPadding2D as ZeroPadding2D
from headrace.keras.layers.cropping import ZeroPadding3D as ZeroPadding3D
from headrace.keras.layers.merge import add as add
from headrace.keras.layers.merge import average as average
from headrace.keras.layers.merge import concatenate as concatenate
from headrace.keras.layers.serialization import deserialize as deserialize
from headrace.keras.layers.merge import dot as dot
from headrace.keras.layers.merge import maximum as maximum
from headrace.keras.layers.merge import minimum as minimum
from headrace.keras.layers.merge import multiply as multiply
from headrace.keras.layers.serialization import serialize as serialize
from headrace.keras.layers.merge import subtract as subtract
