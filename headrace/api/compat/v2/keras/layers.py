"""tf.compat.v2.keras.layers: the names that mean the same in 1.x, and those that TensorFlow 2 means otherwise."""

HOMES = {
    "keras.layers": "AbstractRNNCell Activation ActivityRegularization Add AdditiveAttention AlphaDropout "
    "Attention Average AveragePooling1D AveragePooling2D AveragePooling3D AvgPool1D "
    "AvgPool2D AvgPool3D Bidirectional Concatenate Conv1D Conv2D Conv2DTranspose Conv3D "
    "Conv3DTranspose ConvLSTM2D Convolution1D Convolution2D Convolution2DTranspose "
    "Convolution3D Convolution3DTranspose Cropping1D Cropping2D Cropping3D Dense "
    "DenseFeatures DepthwiseConv2D Dot Dropout ELU Embedding Flatten GaussianDropout "
    "GaussianNoise GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D "
    "GlobalAvgPool1D GlobalAvgPool2D GlobalAvgPool3D GlobalMaxPool1D GlobalMaxPool2D "
    "GlobalMaxPool3D GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D Input "
    "InputLayer InputSpec Lambda Layer LayerNormalization LeakyReLU LocallyConnected1D "
    "LocallyConnected2D Masking MaxPool1D MaxPool2D MaxPool3D MaxPooling1D MaxPooling2D "
    "MaxPooling3D Maximum Minimum Multiply PReLU Permute RNN ReLU RepeatVector Reshape "
    "SeparableConv1D SeparableConv2D SeparableConvolution1D SeparableConvolution2D "
    "SimpleRNN SimpleRNNCell Softmax SpatialDropout1D SpatialDropout2D SpatialDropout3D "
    "StackedRNNCells Subtract ThresholdedReLU TimeDistributed UpSampling1D UpSampling2D "
    "UpSampling3D Wrapper ZeroPadding1D ZeroPadding2D ZeroPadding3D add average "
    "concatenate deserialize dot maximum minimum multiply serialize subtract",
}

SPELLED = {
    "BatchNormalization": "keras.layers.normalization_v2.BatchNormalization",
    "GRU": "keras.layers.recurrent_v2.GRU",
    "GRUCell": "keras.layers.recurrent_v2.GRUCell",
    "LSTM": "keras.layers.recurrent_v2.LSTM",
    "LSTMCell": "keras.layers.recurrent_v2.LSTMCell",
}
