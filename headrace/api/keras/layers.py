"""tf.keras.layers."""

HOMES: dict[str, str] = {
    "layers.convolutional": "Conv1D Conv2D Conv3D",
    "layers.core": "Dense Dropout Flatten",
    "layers.normalization": "BatchNormalization",
    "layers.pooling": "AveragePooling1D AveragePooling2D AveragePooling3D MaxPooling1D MaxPooling2D MaxPooling3D",
    "layers.separable": "SeparableConv1D SeparableConv2D",
    "layers.transposed": "Conv2DTranspose Conv3DTranspose",
}

SPELLED: dict[str, str] = {
    "AvgPool1D": "layers.pooling.AveragePooling1D",
    "AvgPool2D": "layers.pooling.AveragePooling2D",
    "AvgPool3D": "layers.pooling.AveragePooling3D",
    "Convolution1D": "layers.convolutional.Conv1D",
    "Convolution2D": "layers.convolutional.Conv2D",
    "Convolution2DTranspose": "layers.transposed.Conv2DTranspose",
    "Convolution3D": "layers.convolutional.Conv3D",
    "Convolution3DTranspose": "layers.transposed.Conv3DTranspose",
    "MaxPool1D": "layers.pooling.MaxPooling1D",
    "MaxPool2D": "layers.pooling.MaxPooling2D",
    "MaxPool3D": "layers.pooling.MaxPooling3D",
    "SeparableConvolution1D": "layers.separable.SeparableConv1D",
    "SeparableConvolution2D": "layers.separable.SeparableConv2D",
}

NESTED: dict[str, dict[str, str]] = {}
