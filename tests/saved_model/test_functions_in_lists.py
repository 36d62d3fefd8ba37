"""Functions that are elements of lists and dicts, those of a layer's losses among them, are saved with what has them."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.messages import protos


def test_lists_and_dicts_of_functions(tmp_path):
    with eager_mode():
        module = tf.Module()
        module.factor = tf.Variable(3.0)
        spec = tf.TensorSpec([], tf.float32)
        module.several = [tf.function(lambda x: module.factor * x, input_signature=[spec]), tf.Variable(1.0)]
        module.named = {"half": tf.function(lambda x: x / 2.0, input_signature=[spec])}
        tf.saved_model.save(module, str(tmp_path))
        loaded = tf.saved_model.load_v2(str(tmp_path))
        assert loaded.several[0](tf.constant(4.0)).numpy() == 12.0
        assert loaded.several[1].numpy() == 1.0
        assert loaded.named["half"](tf.constant(4.0)).numpy() == 2.0


@pytest.mark.parametrize("eagerly", [False, True])
def test_losses_of_weights_are_functions_of_the_model(tmp_path, eagerly):
    def save() -> None:
        inputs = tf.keras.Input((3,))
        layer = tf.keras.layers.Dense(2, kernel_initializer="ones", kernel_regularizer=tf.keras.regularizers.l2(0.1))
        model = tf.keras.Model(inputs, layer(inputs))
        model.compile("sgd", "mse")
        model.save(str(tmp_path), save_format="tf")
        again = tf.keras.models.load_model(str(tmp_path))
        # Six ones: 0.1 * 6, beside the mean square of 3.
        np.testing.assert_allclose(again.evaluate(np.ones((4, 3)), np.zeros((4, 2)), verbose=0), 9.6, rtol=1e-6)

    if eagerly:
        with eager_mode():
            save()
    else:
        save()
    # TensorFlow takes them from these lists of each layer where it loads a model.
    saved = protos.SavedModel.FromString((tmp_path / "saved_model.pb").read_bytes())
    nodes = saved.meta_graphs[0].object_graph_def.nodes
    lists = [child for node in nodes for child in node.children if child.local_name == "layer_regularization_losses"]
    functions = [nodes[child.node_id] for each in lists for child in nodes[each.node_id].children]
    assert [len(function.function.concrete_functions) for function in functions] == [1]
