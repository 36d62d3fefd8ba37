"""tf.contrib.keras.applications, as it was before `tf.keras`."""

HOMES = {
    "keras.applications": "InceptionV3 MobileNet ResNet50 VGG16 VGG19 Xception",
}

NESTED = {
    "inception_v3": {"keras.applications.inception_v3": "InceptionV3 decode_predictions preprocess_input"},
    "mobilenet": {"keras.applications.mobilenet": "MobileNet decode_predictions preprocess_input"},
    "resnet50": {"keras.applications.resnet50": "ResNet50 decode_predictions preprocess_input"},
    "vgg16": {"keras.applications.vgg16": "VGG16 decode_predictions preprocess_input"},
    "vgg19": {"keras.applications.vgg19": "VGG19 decode_predictions preprocess_input"},
    "xception": {"keras.applications.xception": "Xception decode_predictions preprocess_input"},
}
