"""tf.keras.applications."""

HOMES: dict[str, str] = {
    "keras.applications.densenet": "DenseNet121 DenseNet169 DenseNet201",
    "keras.applications.inception_resnet_v2": "InceptionResNetV2",
    "keras.applications.inception_v3": "InceptionV3",
    "keras.applications.mobilenet": "MobileNet",
    "keras.applications.mobilenet_v2": "MobileNetV2",
    "keras.applications.nasnet": "NASNetLarge NASNetMobile",
    "keras.applications.resnet": "ResNet101 ResNet152 ResNet50",
    "keras.applications.resnet_v2": "ResNet101V2 ResNet152V2 ResNet50V2",
    "keras.applications.vgg": "VGG16 VGG19",
    "keras.applications.xception": "Xception",
}

SPELLED: dict[str, str] = {}

NESTED: dict[str, dict[str, str]] = {
    "imagenet_utils": {"keras.applications.imagenet_utils": "decode_predictions preprocess_input"},
    "densenet": {
        "keras.applications.densenet": "DenseNet121 DenseNet169 DenseNet201",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.torch_inputs": "preprocess_input",
    },
    "inception_resnet_v2": {
        "keras.applications.inception_resnet_v2": "InceptionResNetV2",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.tf_inputs": "preprocess_input",
    },
    "inception_v3": {
        "keras.applications.inception_v3": "InceptionV3",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.tf_inputs": "preprocess_input",
    },
    "mobilenet": {
        "keras.applications.mobilenet": "MobileNet",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.tf_inputs": "preprocess_input",
    },
    "mobilenet_v2": {
        "keras.applications.mobilenet_v2": "MobileNetV2",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.tf_inputs": "preprocess_input",
    },
    "nasnet": {
        "keras.applications.nasnet": "NASNetLarge NASNetMobile",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.tf_inputs": "preprocess_input",
    },
    "resnet": {
        "keras.applications.resnet": "ResNet101 ResNet152 ResNet50",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.caffe_inputs": "preprocess_input",
    },
    "resnet50": {
        "keras.applications.resnet": "ResNet50",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.caffe_inputs": "preprocess_input",
    },
    "resnet_v2": {
        "keras.applications.resnet_v2": "ResNet101V2 ResNet152V2 ResNet50V2",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.tf_inputs": "preprocess_input",
    },
    "vgg16": {
        "keras.applications.vgg": "VGG16",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.caffe_inputs": "preprocess_input",
    },
    "vgg19": {
        "keras.applications.vgg": "VGG19",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.caffe_inputs": "preprocess_input",
    },
    "xception": {
        "keras.applications.xception": "Xception",
        "keras.applications.imagenet_utils": "decode_predictions",
        "keras.applications.tf_inputs": "preprocess_input",
    },
}
