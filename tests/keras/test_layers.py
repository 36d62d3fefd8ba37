"""Feed-forward layers of tf.keras against NumPy and against each other."""

from __future__ import annotations

import base64
import json
import marshal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.keras.layers.kernelized import RandomFourierFeatures
from headrace.keras.utils import kernelized_utils

L = tf.keras.layers
drawn = settings(max_examples=20, deadline=None)

# What layers cannot be made without.
REQUIRED = {
    "Activation": ["relu"],
    "AlphaDropout": [0.5],
    "Conv1D": [2, 3],
    "Conv2D": [2, 3],
    "Conv2DTranspose": [2, 3],
    "Conv3D": [2, 3],
    "Conv3DTranspose": [2, 3],
    "Dense": [3],
    "DepthwiseConv2D": [3],
    "Dot": [1],
    "Dropout": [0.5],
    "Embedding": [4, 5],
    "GaussianDropout": [0.5],
    "GaussianNoise": [0.5],
    "LocallyConnected1D": [2, 3],
    "LocallyConnected2D": [2, 3],
    "Permute": [(2, 1)],
    "RepeatVector": [3],
    "Reshape": [(2, 3)],
    "SeparableConv1D": [2, 3],
    "SeparableConv2D": [2, 3],
    "SpatialDropout1D": [0.5],
    "SpatialDropout2D": [0.5],
    "SpatialDropout3D": [0.5],
}
WITHOUT = [
    "ActivityRegularization", "Add", "AdditiveAttention", "Attention", "Average", "AveragePooling1D",
    "AveragePooling2D", "AveragePooling3D", "BatchNormalization", "Concatenate", "Cropping1D", "Cropping2D",
    "Cropping3D", "ELU", "Flatten", "GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D",
    "GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D", "LayerNormalization", "LeakyReLU", "Masking",
    "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "Maximum", "Minimum", "Multiply", "PReLU", "ReLU", "Softmax",
    "Subtract", "ThresholdedReLU", "UpSampling1D", "UpSampling2D", "UpSampling3D", "ZeroPadding1D", "ZeroPadding2D",
    "ZeroPadding3D",
]  # fmt: skip


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def applied(layer, *arrays, **arguments):
    """What a layer gives for arrays, and the layer's values of its weights."""
    inputs = [tf.constant(array) for array in arrays]
    outputs = layer(inputs if len(inputs) > 1 else inputs[0], **arguments)
    return run([outputs, layer.weights])


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize("name", [*WITHOUT, *REQUIRED])
def test_a_layer_is_made_again_of_its_settings(name):
    layer = getattr(L, name)(*REQUIRED.get(name, []), name="mine")
    saved = L.serialize(layer)
    again = L.deserialize(saved)
    assert type(again) is type(layer)
    # Arrays of one number stand in the settings of ReLU.
    assert json.dumps(L.serialize(again), default=float) == json.dumps(saved, default=float)


def test_names_of_two_classes_follow_the_behavior(monkeypatch):
    saved = {"class_name": "BatchNormalizationV2", "config": {}}
    assert type(L.deserialize(saved)) is L.BatchNormalization
    monkeypatch.setattr("headrace.config.tf2.enabled", lambda: True)
    second = type(L.deserialize(saved))
    assert second is not L.BatchNormalization
    assert second.__name__ == "BatchNormalization"


def test_code_of_others_is_not_loaded():
    """Only code that this process has stored itself is loaded unless a program allows more."""
    config = L.Lambda(lambda t: t + 1.0).get_config()
    assert isinstance(L.deserialize({"class_name": "Lambda", "config": config}), L.Lambda)
    foreign = base64.encodebytes(marshal.dumps((lambda t: t + 2.0).__code__)).decode()
    config["function"] = [foreign, None, None]
    with pytest.raises(ValueError, match="allow_code_in_models"):
        L.deserialize({"class_name": "Lambda", "config": config})


@drawn
@given(
    rank=st.integers(1, 3),
    first=st.booleans(),
    amounts=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=3),
)
def test_cropping_undoes_padding(rank, first, amounts):
    layout = {} if rank == 1 else {"data_format": "channels_first" if first else "channels_last"}
    amount = amounts[0] if rank == 1 else tuple(amounts[:rank])
    space = [3, 2, 4][:rank]
    sizes = [2, 5, *space] if layout.get("data_format") == "channels_first" else [2, *space, 5]
    x = np.random.RandomState(rank).normal(size=sizes)
    with tf.Graph().as_default():
        padding = getattr(L, f"ZeroPadding{rank}D")(amount, **layout)
        cropping = getattr(L, f"Cropping{rank}D")(amount, **layout)
        padded = padding(tf.constant(x))
        back = cropping(padded)
        assert padded.shape.as_list() == padding.compute_output_shape(sizes).as_list()
        assert cropping.compute_output_shape(padded.shape).as_list() == sizes
        larger, same = run([padded, back])
    np.testing.assert_array_equal(same, x)
    assert np.isclose(larger.sum(), x.sum())


@drawn
@given(size=st.integers(1, 4), steps=st.integers(1, 4))
def test_upsampling_repeats(size, steps):
    x = np.random.RandomState(size).normal(size=(2, steps, 3))
    with tf.Graph().as_default():
        found, _ = applied(L.UpSampling1D(size), x)
        larger, _ = applied(L.UpSampling3D((1, size, 1)), x.reshape(2, 1, steps, 1, 3))
    np.testing.assert_array_equal(found, x.repeat(size, axis=1))
    np.testing.assert_array_equal(larger.reshape(2, steps * size, 3), x.repeat(size, axis=1))


@pytest.mark.parametrize("layout", ["channels_last", "channels_first"])
@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("strides", [1, 2])
def test_locally_connected_implementations_agree(layout, rank, strides):
    """A filter that is the same at all places makes a convolution of each of the three."""
    random = np.random.RandomState(rank)
    filters, channels = 3, 2
    window = random.normal(size=(*[2] * rank, channels, filters)).astype(np.float32)
    space = [5, 4][:rank]
    last = random.normal(size=(2, *space, channels)).astype(np.float32)
    convolution = getattr(L, f"Conv{rank}D")(filters, 2, strides, weights=[window], use_bias=False)
    x = tf.constant(last)
    y = convolution(x)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        convolution.kernel.load(window, session)
        expected = session.run(y)
    first = layout == "channels_first"
    given_to = np.moveaxis(last, -1, 1) if first else last
    for implementation in (1, 2, 3):
        layer = getattr(L, f"LocallyConnected{rank}D")(
            filters, 2, strides, data_format=layout, use_bias=False, implementation=implementation
        )
        outputs = layer(tf.constant(given_to))
        kernel = _kernel_of(layer, window, space, channels, filters, strides, first)
        with tf.Session() as session:
            layer.kernel.load(kernel, session)
            found = session.run(outputs)
        assert list(found.shape) == layer.compute_output_shape(given_to.shape).as_list()
        np.testing.assert_allclose(np.moveaxis(found, 1, -1) if first else found, expected, rtol=1e-4, atol=1e-5)


def _kernel_of(layer, window, space, channels, filters, strides, first):
    """The variable of a locally connected layer whose filter is `window` at each place."""
    outputs = [(size - 2) // strides + 1 for size in space]
    if layer.implementation == 1:
        # Patches hold their channels first or last, as the inputs do.
        patch = np.moveaxis(window, -2, 0) if first else window
        return np.broadcast_to(patch.reshape(-1, filters), (np.prod(outputs), patch.size // filters, filters)).copy()
    full = np.zeros((*space, channels, *outputs, filters), np.float32)
    for place in np.ndindex(*outputs):
        for offset in np.ndindex(*[2] * len(space)):
            at = tuple(p * strides + o for p, o in zip(place, offset))
            for channel in range(channels):
                full[(*at, channel, *place)] = window[(*offset, channel)]
    rank = len(space)
    if first:
        full = np.moveaxis(np.moveaxis(full, rank, 0), -1, rank + 1)
    if layer.implementation == 2:
        return full
    flat = full.reshape(channels * np.prod(space), filters * np.prod(outputs))
    return np.array([flat[place, output] for output, place in layer.kernel_idxs], np.float32)


@drawn
@given(batch=st.integers(1, 4), features=st.integers(2, 6), scale=st.floats(0.5, 50.0))
def test_layer_normalization_forgets_shift_and_scale(batch, features, scale):
    x = np.random.RandomState(features).normal(size=(batch, features))
    with tf.Graph().as_default():
        layer = L.LayerNormalization(epsilon=1e-12, dtype="float64")
        found, (gamma, beta) = applied(layer, scale * x + 3.0)
    deviation = x.std(axis=1, keepdims=True)
    np.testing.assert_allclose(found, (x - x.mean(axis=1, keepdims=True)) / deviation * gamma + beta, atol=1e-6)


@drawn
@given(queries=st.integers(1, 4), keys=st.integers(1, 4), hidden=st.integers(0, 3))
def test_attention_is_a_mean_of_values_that_are_not_masked(queries, keys, hidden):
    random = np.random.RandomState(queries)
    query, value = random.normal(size=(2, queries, 3)), random.normal(size=(2, keys, 3))
    mask = np.arange(keys) >= min(hidden, keys - 1)
    with tf.Graph().as_default():
        q, v = tf.constant(query, tf.float32), tf.constant(value, tf.float32)
        masks = [None, tf.constant(np.stack([mask, mask]))]
        found = run(L.Attention()([q, v], mask=masks))
    weights = np.exp(np.einsum("bqd,bkd->bqk", query, value)) * mask
    expected = np.einsum("bqk,bkd->bqd", weights / weights.sum(-1, keepdims=True), value)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_causal_layer_does_not_see_what_follows():
    x = tf.placeholder(tf.float32, [1, 4, 3])
    attended = L.Attention(causal=True)([x, x])
    convolved = L.Conv1D(2, 3, padding="causal")(x)
    value = np.random.RandomState(1).normal(size=(1, 4, 3))
    changed = value.copy()
    changed[:, 2:] += 1.0
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for layer in (attended, convolved):
            before, after = session.run(layer, {x: value}), session.run(layer, {x: changed})
            np.testing.assert_allclose(before[:, :2], after[:, :2], rtol=1e-6)
            assert not np.allclose(before[:, 2:], after[:, 2:])


@pytest.mark.parametrize(
    ("name", "combine"),
    [
        ("Add", np.add),
        ("Multiply", np.multiply),
        ("Maximum", np.maximum),
        ("Minimum", np.minimum),
        ("Subtract", np.subtract),
        ("Average", lambda a, b: (a + b) / 2),
    ],
)
def test_merges_broadcast_from_the_batch_on(name, combine):
    random = np.random.RandomState(4)
    a, b = random.normal(size=(2, 3)), random.normal(size=(2, 4, 3))
    found, _ = applied(getattr(L, name)(), a, b)
    np.testing.assert_allclose(found, combine(a[:, np.newaxis], b))
    function = getattr(L, name.lower())
    np.testing.assert_allclose(run(function([tf.constant(b), tf.constant(b)])), combine(b, b))


def test_merges_take_inputs_of_unknown_rank():
    x = tf.placeholder(tf.float64)
    y = tf.placeholder(tf.float64, [None, 3])
    layer = L.Add()
    layer._reshape_required = True
    layer.built = True
    random = np.random.RandomState(4)
    a, b = random.normal(size=(2, 4, 3)), random.normal(size=(2, 3))
    found = run(layer.call([x, y]), {x: a, y: b})
    np.testing.assert_allclose(found, (a.transpose(1, 2, 0) + b.T).transpose(2, 0, 1))


def test_masks_reach_the_layers_that_use_them():
    ids = tf.constant([[1, 2, 0], [3, 0, 0]])
    words = L.Embedding(4, 2, mask_zero=True)
    found = words(ids)
    kept = L.Dropout(0.5)(found, training=False)
    mean = L.GlobalAveragePooling1D()(kept)
    table, given_mean, mask = run([words.embeddings, mean, kept._keras_mask])
    np.testing.assert_array_equal(mask, [[True, True, False], [True, False, False]])
    np.testing.assert_allclose(given_mean, [(table[1] + table[2]) / 2, table[3]], rtol=1e-6)
    assert getattr(mean, "_keras_mask", None) is None


@pytest.mark.parametrize("kind", ["GaussianNoise", "GaussianDropout", "AlphaDropout"])
def test_noise_keeps_the_mean(kind):
    tf.set_random_seed(3)
    np.random.seed(3)
    x = tf.random_normal([200, 200], seed=1)
    noised, plain = run([getattr(L, kind)(0.2)(x, training=True), x])
    assert not np.allclose(noised, plain)
    assert abs(noised.mean() - plain.mean()) < 0.02


def test_rectified_units_of_the_formula():
    x = np.linspace(-3, 9, 25)
    found, _ = applied(L.ReLU(max_value=6.0, negative_slope=0.25, threshold=1.0), x)
    expected = np.where(x > 6, 6, np.where(x > 1, x, 0.25 * (x - 1)))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_random_features_come_near_to_their_kernel():
    np.random.seed(2)
    tf.set_random_seed(2)
    layer = RandomFourierFeatures(20000, "gaussian", scale=2.0)
    x, y = tf.constant([[1.0, 2.0]]), tf.constant([[0.5, 1.0]])
    product = tf.matmul(layer(x), layer(y), transpose_b=True) * 2.0 / 20000
    near, exact = run([product, kernelized_utils.exact_gaussian_kernel(x, y, 2.0)])
    np.testing.assert_allclose(near, exact, atol=0.03)


@pytest.mark.parametrize("values", [[1, 2], [1.0, np.ones(2, np.float32)]], ids=["numbers", "a number and a vector"])
def test_what_is_merged_has_an_axis_of_the_batch(values):
    with pytest.raises(IndexError):
        L.Add()(values)


@pytest.mark.parametrize("name", ["glorot_uniform", "zeros", "he_normal", "RandomNormal", "constant", "orthogonal"])
def test_names_stand_for_initializers_without_types_with_the_behavior_of_2(monkeypatch, name):
    with_type = tf.keras.initializers.get(name).get_config()
    monkeypatch.setattr("headrace.config.tf2.enabled", lambda: True)
    without = tf.keras.initializers.get(name)
    assert isinstance(without, tf.compat.v2.initializers.Initializer)
    assert {"dtype": "float32", **without.get_config()} == with_type
    again = tf.keras.initializers.deserialize({"class_name": type(without).__name__, "config": with_type})
    assert again.get_config() == without.get_config()
    with pytest.raises(ValueError, match="UniformUnitScaling"):
        tf.keras.initializers.get("UniformUnitScaling")


def test_masks_of_numbers_are_masks_where_they_are_not_zero():
    one, two = tf.constant([[1.0, 0.0, 2.0]]), tf.constant([[3.0, 4.0, 0.0]])
    inputs = [tf.ones([1, 3, 2]), tf.ones([1, 3, 2])]
    with tf.compat.v1.Session() as session:
        np.testing.assert_array_equal(session.run(L.Add().compute_mask(inputs, [one, two])), [[True, False, False]])
        joined = L.Concatenate(axis=-1).compute_mask(inputs, [one, None])
        np.testing.assert_array_equal(session.run(joined), [[True, False, True]])


def test_a_constraint_that_says_nothing_leaves_weights_alone():
    weights = tf.constant([1.0, -2.0])
    assert tf.keras.constraints.Constraint()(weights) is weights


def test_a_model_of_two_inputs_is_not_called_on_one():
    one, two = tf.keras.Input((3,)), tf.keras.Input((3,))
    model = tf.keras.Model([one, two], L.Add()([one, two]), name="joined")
    assert model.input_spec == [None, None]
    with pytest.raises(ValueError, match="Layer joined expects 2 inputs, but it received 1"):
        model(tf.ones([2, 3]))
    assert tf.keras.Model(one, L.Dense(2)(one)).input_spec is None
