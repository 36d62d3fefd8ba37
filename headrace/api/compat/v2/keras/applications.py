"""tf.compat.v2.keras.applications: the names that mean the same in 1.x."""

HOMES = {
    "keras.applications": "DenseNet121 DenseNet169 DenseNet201 InceptionResNetV2 InceptionV3 MobileNet "
    "MobileNetV2 NASNetLarge NASNetMobile ResNet101 ResNet101V2 ResNet152 ResNet152V2 "
    "ResNet50 ResNet50V2 VGG16 VGG19 Xception",
}

NESTED = {
    "densenet": {
        "keras.applications.densenet": "DenseNet121 DenseNet169 DenseNet201 decode_predictions preprocess_input"
    },
    "imagenet_utils": {"keras.applications.imagenet_utils": "decode_predictions preprocess_input"},
    "inception_resnet_v2": {
        "keras.applications.inception_resnet_v2": "InceptionResNetV2 decode_predictions preprocess_input"
    },
    "inception_v3": {"keras.applications.inception_v3": "InceptionV3 decode_predictions preprocess_input"},
    "mobilenet": {"keras.applications.mobilenet": "MobileNet decode_predictions preprocess_input"},
    "mobilenet_v2": {"keras.applications.mobilenet_v2": "MobileNetV2 decode_predictions preprocess_input"},
    "nasnet": {"keras.applications.nasnet": "NASNetLarge NASNetMobile decode_predictions preprocess_input"},
    "resnet": {"keras.applications.resnet": "ResNet101 ResNet152 ResNet50 decode_predictions preprocess_input"},
    "resnet50": {"keras.applications.resnet50": "ResNet50 decode_predictions preprocess_input"},
    "resnet_v2": {
        "keras.applications.resnet_v2": "ResNet101V2 ResNet152V2 ResNet50V2 decode_predictions preprocess_input"
    },
    "vgg16": {"keras.applications.vgg16": "VGG16 decode_predictions preprocess_input"},
    "vgg19": {"keras.applications.vgg19": "VGG19 decode_predictions preprocess_input"},
    "xception": {"keras.applications.xception": "Xception decode_predictions preprocess_input"},
}
