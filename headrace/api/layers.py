"""tf.layers."""

HOMES = {
    "layers.base": "InputSpec Layer",
    "layers.classic.convolutional": "Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose SeparableConv1D "
    "SeparableConv2D conv1d conv2d conv2d_transpose conv3d conv3d_transpose separable_conv1d separable_conv2d",
    "layers.classic.core": "Dense Dropout Flatten FullyConnected dense dropout flatten fully_connected",
    "layers.classic.normalization": "BatchNorm BatchNormalization batch_norm batch_normalization",
    "layers.classic.pooling": "AveragePooling1D AveragePooling2D AveragePooling3D MaxPooling1D MaxPooling2D "
    "MaxPooling3D average_pooling1d average_pooling2d average_pooling3d max_pooling1d max_pooling2d max_pooling3d",
}

# Names that `tensorflow.python.layers.convolutional` had besides.
SPELLED = {
    "Convolution1D": "layers.classic.convolutional.Conv1D",
    "Convolution2D": "layers.classic.convolutional.Conv2D",
    "Convolution3D": "layers.classic.convolutional.Conv3D",
    "Convolution2DTranspose": "layers.classic.convolutional.Conv2DTranspose",
    "Convolution3DTranspose": "layers.classic.convolutional.Conv3DTranspose",
    "Deconv2D": "layers.classic.convolutional.Conv2DTranspose",
    "Deconv3D": "layers.classic.convolutional.Conv3DTranspose",
    "Deconvolution2D": "layers.classic.convolutional.Conv2DTranspose",
    "Deconvolution3D": "layers.classic.convolutional.Conv3DTranspose",
    "SeparableConvolution2D": "layers.classic.convolutional.SeparableConv2D",
    "convolution1d": "layers.classic.convolutional.conv1d",
    "convolution2d": "layers.classic.convolutional.conv2d",
    "convolution3d": "layers.classic.convolutional.conv3d",
    "convolution2d_transpose": "layers.classic.convolutional.conv2d_transpose",
    "convolution3d_transpose": "layers.classic.convolutional.conv3d_transpose",
    "deconv2d": "layers.classic.convolutional.conv2d_transpose",
    "deconv3d": "layers.classic.convolutional.conv3d_transpose",
    "separable_convolution2d": "layers.classic.convolutional.separable_conv2d",
    "AvgPool2D": "layers.classic.pooling.AveragePooling2D",
    "MaxPool2D": "layers.classic.pooling.MaxPooling2D",
    "avg_pool2d": "layers.classic.pooling.average_pooling2d",
    "max_pool2d": "layers.classic.pooling.max_pooling2d",
}

NESTED = {
    "experimental": {"layers.base": "keras_style_scope set_keras_style"},
}
