"""Image to image: a generator with skips beside a discriminator, trained one after the other; files of its images."""

import collections

import numpy as np
import tensorflow as tf

tf.set_random_seed(6)
rng = np.random.RandomState(1)
EPS = 1e-12
Model = collections.namedtuple(
    "Model", "outputs, predict_real, predict_fake, discrim_loss, gen_loss_GAN, gen_loss_L1, train"
)


def preprocess(image):
    with tf.name_scope("preprocess"):
        return image * 2 - 1


def deprocess(image):
    with tf.name_scope("deprocess"):
        return (image + 1) / 2


def discrim_conv(batch_input, out_channels, stride):
    padded_input = tf.pad(batch_input, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="CONSTANT")
    return tf.layers.conv2d(
        padded_input,
        out_channels,
        kernel_size=4,
        strides=(stride, stride),
        padding="valid",
        kernel_initializer=tf.random_normal_initializer(0, 0.02),
    )


def gen_conv(x, out_channels):
    return tf.layers.conv2d(
        x,
        out_channels,
        kernel_size=4,
        strides=(2, 2),
        padding="same",
        kernel_initializer=tf.random_normal_initializer(0, 0.02),
    )


def gen_deconv(x, out_channels):
    return tf.layers.conv2d_transpose(
        x,
        out_channels,
        kernel_size=4,
        strides=(2, 2),
        padding="same",
        kernel_initializer=tf.random_normal_initializer(0, 0.02),
    )


def lrelu(x, a):
    with tf.name_scope("lrelu"):
        x = tf.identity(x)
        return 0.5 * (1 + a) * x + 0.5 * (1 - a) * tf.abs(x)


def batchnorm(inputs):
    return tf.layers.batch_normalization(
        inputs,
        axis=3,
        epsilon=1e-05,
        momentum=0.1,
        training=True,
        gamma_initializer=tf.random_normal_initializer(1.0, 0.02),
    )


def create_generator(generator_inputs, ch, ngf=8):
    layers = []
    with tf.variable_scope("encoder_1"):
        layers.append(gen_conv(generator_inputs, ngf))
    for out_channels in [ngf * 2, ngf * 4, ngf * 4]:
        with tf.variable_scope("encoder_%d" % (len(layers) + 1)):
            rectified = lrelu(layers[-1], 0.2)
            layers.append(batchnorm(gen_conv(rectified, out_channels)))
    num_encoder_layers = len(layers)
    for decoder_layer, (out_channels, dropout) in enumerate([(ngf * 4, 0.5), (ngf * 2, 0.0), (ngf, 0.0)]):
        skip_layer = num_encoder_layers - decoder_layer - 1
        with tf.variable_scope("decoder_%d" % (skip_layer + 1)):
            inp = layers[-1] if decoder_layer == 0 else tf.concat([layers[-1], layers[skip_layer]], axis=3)
            output = batchnorm(gen_deconv(tf.nn.relu(inp), out_channels))
            if dropout > 0.0:
                output = tf.nn.dropout(output, keep_prob=1 - dropout)
            layers.append(output)
    with tf.variable_scope("decoder_1"):
        inp = tf.concat([layers[-1], layers[0]], axis=3)
        layers.append(tf.tanh(gen_deconv(tf.nn.relu(inp), ch)))
    return layers[-1]


def create_model(inputs, targets, ndf=8):

    def create_discriminator(discrim_inputs, discrim_targets):
        inp = tf.concat([discrim_inputs, discrim_targets], axis=3)
        layers = []
        with tf.variable_scope("layer_1"):
            layers.append(lrelu(discrim_conv(inp, ndf, stride=2), 0.2))
        for i in range(2):
            with tf.variable_scope("layer_%d" % (len(layers) + 1)):
                layers.append(
                    lrelu(
                        batchnorm(discrim_conv(layers[-1], ndf * min(2 ** (i + 1), 8), stride=2 if i < 1 else 1)), 0.2
                    )
                )
        with tf.variable_scope("layer_%d" % (len(layers) + 1)):
            layers.append(tf.sigmoid(discrim_conv(layers[-1], out_channels=1, stride=1)))
        return layers[-1]

    with tf.variable_scope("generator"):
        outputs = create_generator(inputs, int(targets.get_shape()[-1]))
    with tf.name_scope("real_discriminator"), tf.variable_scope("discriminator"):
        predict_real = create_discriminator(inputs, targets)
    with tf.name_scope("fake_discriminator"), tf.variable_scope("discriminator", reuse=True):
        predict_fake = create_discriminator(inputs, outputs)
    with tf.name_scope("discriminator_loss"):
        discrim_loss = tf.reduce_mean(-(tf.log(predict_real + EPS) + tf.log(1 - predict_fake + EPS)))
    with tf.name_scope("generator_loss"):
        gen_loss_GAN = tf.reduce_mean(-tf.log(predict_fake + EPS))
        gen_loss_L1 = tf.reduce_mean(tf.abs(targets - outputs))
        gen_loss = gen_loss_GAN * 1.0 + gen_loss_L1 * 100.0
    with tf.name_scope("discriminator_train"):
        discrim_tvars = [var for var in tf.trainable_variables() if var.name.startswith("discriminator")]
        discrim_optim = tf.train.AdamOptimizer(0.0002, 0.5)
        discrim_grads_and_vars = discrim_optim.compute_gradients(discrim_loss, var_list=discrim_tvars)
        discrim_train = discrim_optim.apply_gradients(discrim_grads_and_vars)
    with tf.name_scope("generator_train"), tf.control_dependencies([discrim_train]):
        gen_tvars = [var for var in tf.trainable_variables() if var.name.startswith("generator")]
        gen_optim = tf.train.AdamOptimizer(0.0002, 0.5)
        gen_grads_and_vars = gen_optim.compute_gradients(gen_loss, var_list=gen_tvars)
        gen_train = gen_optim.apply_gradients(gen_grads_and_vars)
    ema = tf.train.ExponentialMovingAverage(decay=0.99)
    update_losses = ema.apply([discrim_loss, gen_loss_GAN, gen_loss_L1])
    global_step = tf.contrib.framework.get_or_create_global_step()
    incr_global_step = tf.assign(global_step, global_step + 1)
    return Model(
        predict_real=predict_real,
        predict_fake=predict_fake,
        discrim_loss=ema.average(discrim_loss),
        gen_loss_GAN=ema.average(gen_loss_GAN),
        gen_loss_L1=ema.average(gen_loss_L1),
        outputs=outputs,
        train=tf.group(update_losses, incr_global_step, gen_train),
    )


X = rng.rand(2, 32, 32, 3).astype("f")
Y = X[:, ::-1].copy()
inputs, targets = (preprocess(tf.constant(X)), preprocess(tf.constant(Y)))
model = create_model(inputs, targets)
with tf.name_scope("convert"):
    converted = tf.image.convert_image_dtype(deprocess(model.outputs), dtype=tf.uint8, saturate=True)
    png = tf.map_fn(tf.image.encode_png, converted, dtype=tf.string, name="output_pngs")
with tf.name_scope("parameter_count"):
    parameter_count = tf.reduce_sum([tf.reduce_prod(tf.shape(v)) for v in tf.trainable_variables()])
results = {"losses": [], "variables": [v.name for v in tf.global_variables()]}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        results["losses"].append(sess.run([model.train, model.discrim_loss, model.gen_loss_GAN, model.gen_loss_L1])[1:])
    results["starts"] = [file[:8] for file in sess.run(png)]
    results["parameters"] = sess.run(parameter_count)
