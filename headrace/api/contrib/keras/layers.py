"""tf.contrib.keras.layers, as it was before `tf.keras`."""

HOMES = {
    "keras.layers": "Activation ActivityRegularization Add AlphaDropout Average AveragePooling1D "
    "AveragePooling2D AveragePooling3D AvgPool1D AvgPool2D AvgPool3D BatchNormalization "
    "Bidirectional Concatenate Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose "
    "ConvLSTM2D Convolution1D Convolution2D Convolution2DTranspose Convolution3D "
    "Convolution3DTranspose Cropping1D Cropping2D Cropping3D Dense Dot Dropout ELU "
    "Embedding Flatten GRU GaussianDropout GaussianNoise GlobalAveragePooling1D "
    "GlobalAveragePooling2D GlobalAveragePooling3D GlobalAvgPool1D GlobalAvgPool2D "
    "GlobalAvgPool3D GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPool3D GlobalMaxPooling1D "
    "GlobalMaxPooling2D GlobalMaxPooling3D Input InputLayer InputSpec LSTM Lambda Layer "
    "LeakyReLU LocallyConnected1D LocallyConnected2D Masking MaxPool1D MaxPool2D "
    "MaxPool3D MaxPooling1D MaxPooling2D MaxPooling3D Maximum Multiply PReLU Permute "
    "RepeatVector Reshape SeparableConv2D SeparableConvolution2D SimpleRNN "
    "SpatialDropout1D SpatialDropout2D SpatialDropout3D ThresholdedReLU TimeDistributed "
    "UpSampling1D UpSampling2D UpSampling3D Wrapper ZeroPadding1D ZeroPadding2D "
    "ZeroPadding3D add average concatenate dot maximum multiply",
}
