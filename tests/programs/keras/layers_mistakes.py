"""What layers of tf.keras say of arguments and inputs that they cannot use."""

import tensorflow as tf

L = tf.keras.layers
results = {}


def x(*shape):
    return tf.placeholder(tf.float32, shape)


MISTAKES = [
    ("Permute", lambda: L.Permute((1, 3))),
    ("Reshape total", lambda: L.Reshape((3, 3)).compute_output_shape((2, 3, 4))),
    ("Reshape unknown", lambda: L.Reshape((-1, -1)).compute_output_shape((2, 3, 4))),
    ("RepeatVector", lambda: L.RepeatVector(3, name="r")(x(2, 3, 4))),
    ("SpatialDropout2D", lambda: L.SpatialDropout2D(0.5, "nowhere")),
    ("SpatialDropout3D", lambda: L.SpatialDropout3D(0.5, "nowhere")),
    ("Flatten", lambda: L.Flatten("nowhere")),
    ("unknown argument", lambda: L.Activation("relu", units=3)),
    ("unknown activation", lambda: L.Dense(3, activation="nope")),
    ("unknown regularizer", lambda: L.Dense(3, kernel_regularizer="nope")),
    ("Dense rank", lambda: L.Dense(3, name="d")(x(2))),
    ("Dense size", lambda: L.Dense(3, name="d")(x(2, None))),
    ("Dense integers", lambda: L.Dense(3, name="d")(tf.placeholder(tf.int32, [2, 3]))),
    ("Add one", lambda: L.Add()([x(None, 3)])),
    ("Add no list", lambda: L.Add()(x(None, 3))),
    ("Add batches", lambda: L.Add()([x(2, 3), x(3, 3)])),
    ("Add shapes", lambda: L.Add()([x(2, 3), x(2, 4)])),
    ("Add tuple", lambda: L.Add()((x(2, 3), x(2, 3)))),
    ("Subtract", lambda: L.Subtract()([x(2, 3)] * 3)),
    ("Add masks", lambda: L.Add().compute_mask([1, 2], x(2))),
    ("Add no inputs", lambda: L.Add().compute_mask(1, [None])),
    ("Add mask count", lambda: L.Add().compute_mask([1, 2], [None])),
    ("Concatenate one", lambda: L.Concatenate()([x(None, 3)])),
    ("Concatenate no list", lambda: L.Concatenate()(x(None, 3))),
    ("Concatenate shapes", lambda: L.Concatenate(1)([x(None, 3, 5), x(None, 3, 4)])),
    ("Concatenate shape", lambda: L.Concatenate().compute_output_shape((2, 3))),
    ("Dot axes", lambda: L.Dot("a")),
    ("Dot three axes", lambda: L.Dot((1, 2, 3))),
    ("Dot letters", lambda: L.Dot((1, "a"))),
    ("Dot sizes", lambda: L.Dot(1)([x(2, 3), x(2, 4)])),
    ("Dot one", lambda: L.Dot(1)([x(2, 3)])),
    ("Dot shape", lambda: L.Dot(1).compute_output_shape((2, 3))),
    ("ReLU max", lambda: L.ReLU(-1.0)),
    ("ReLU slope", lambda: L.ReLU(None, -1.0)),
    ("Embedding length", lambda: L.Embedding(5, 4, input_length=(3, 2)).compute_output_shape((2, 3, 7))),
    ("Embedding rank", lambda: L.Embedding(5, 4, input_length=(3,)).compute_output_shape((2, 3, 7))),
    ("Cropping1D", lambda: L.Cropping1D((1, 2, 3))),
    ("Cropping2D", lambda: L.Cropping2D((1, 2, 3))),
    ("Cropping2D entry", lambda: L.Cropping2D(((1, 2, 3), 3))),
    ("Cropping3D", lambda: L.Cropping3D(5.0)),
    ("Cropping3D count", lambda: L.Cropping3D((1, 2))),
    ("Cropping3D letters", lambda: L.Cropping3D("abc")),
    ("ZeroPadding1D", lambda: L.ZeroPadding1D("a")),
    ("ZeroPadding2D", lambda: L.ZeroPadding2D((1, 2, 3))),
    ("ZeroPadding2D float", lambda: L.ZeroPadding2D(5.0)),
    ("ZeroPadding2D rank", lambda: L.ZeroPadding2D(1, name="z")(x(3, 3))),
    ("ZeroPadding3D", lambda: L.ZeroPadding3D((1, 2))),
    ("ZeroPadding3D float", lambda: L.ZeroPadding3D(4.0)),
    ("UpSampling1D", lambda: L.UpSampling1D("a")),
    ("UpSampling2D", lambda: L.UpSampling2D((2, 3, 4))),
    ("UpSampling2D cubic", lambda: L.UpSampling2D(2, interpolation="cubic")),
    ("GlobalAveragePooling1D", lambda: L.GlobalAveragePooling1D("a")),
    ("LayerNormalization", lambda: L.LayerNormalization(axis="a")),
    ("LayerNormalization none", lambda: L.LayerNormalization(axis=None)),
    ("LayerNormalization axis", lambda: L.LayerNormalization(axis=5)(x(2, 3))),
    ("LayerNormalization twice", lambda: L.LayerNormalization(axis=[1, 1])(x(2, 3))),
    ("BatchNormalization", lambda: L.BatchNormalization(axis="a")),
    ("BatchNormalization tuple", lambda: L.BatchNormalization(axis=(1, 2))),
    ("BatchNormalization clipping", lambda: L.BatchNormalization(renorm=True, renorm_clipping={"a": 1})),
    ("Attention no list", lambda: L.Attention()(x(2, 3, 4))),
    ("Attention one", lambda: L.Attention()([x(2, 3, 4)])),
    ("Attention four", lambda: L.AdditiveAttention()([x(2, 3, 4)] * 4)),
    ("Attention mask", lambda: L.Attention()([x(2, 3, 4)] * 2, mask=[None])),
    ("Attention masks", lambda: L.Attention()([x(2, 3, 4)] * 2, mask=(None, tf.ones([2, 3], tf.bool)))),
    ("LocallyConnected1D", lambda: L.LocallyConnected1D(3, 2, padding="same")),
    ("LocallyConnected1D implementation", lambda: L.LocallyConnected1D(3, 2, implementation=4)(x(2, 5, 2))),
    ("LocallyConnected1D channels", lambda: L.LocallyConnected1D(3, 2)(x(2, 5, None))),
    ("LocallyConnected2D", lambda: L.LocallyConnected2D(3, 2)(x(2, None, 2, 3))),
    ("DepthwiseConv2D rank", lambda: L.DepthwiseConv2D(3, name="w")(x(2, 5, 5))),
    ("DepthwiseConv2D channels", lambda: L.DepthwiseConv2D(3)(x(2, 5, 5, None))),
    ("DepthwiseConv2D causal", lambda: L.DepthwiseConv2D(3, padding="causal")),
    ("Conv2D padding", lambda: L.Conv2D(3, 2, padding="causal")),
    ("Conv2D layout", lambda: L.Conv2D(3, 2, data_format="nowhere")),
    ("Conv2D size", lambda: L.Conv2D(3, (2, 2, 2))),
    ("Conv2D dilated", lambda: L.Conv2D(3, 2, strides=2, dilation_rate=2)(x(2, 9, 9, 2))),
    ("Conv2D channels", lambda: L.Conv2D(3, 2)(x(2, 9, 9, None))),
    ("Conv2DTranspose", lambda: L.Conv2DTranspose(3, 2, strides=1, output_padding=1)),
    ("no weights yet", lambda: L.Dense(3, name="d").count_params()),
    ("no layer", lambda: L.deserialize({"class_name": "Nope", "config": {}})),
    ("no config", lambda: L.deserialize({"class_name": "Dense"})),
    ("Lambda mask", lambda: L.Lambda(lambda t: t, mask=5).get_config()),
    ("Lambda kind", lambda: L.Lambda.from_config({"function": "f", "function_type": "zz", "module": None})),
]

for name, mistake in MISTAKES:
    try:
        mistake()
        results[name] = "no error"
    except Exception as error:
        results[name] = [type(error).__name__, str(error)]
