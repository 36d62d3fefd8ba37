"""What `tf.Variable` offers as a class: the methods of all kinds of variables."""

import pytest

import headrace as tf

METHODS = [
    "assign",
    "assign_add",
    "assign_sub",
    "count_up_to",
    "set_shape",
    "scatter_add",
    "scatter_nd_update",
    "value",
    "read_value",
    "load",
]


@pytest.mark.parametrize("cls", ["Variable", "compat.v2.Variable"])
def test_the_class_has_the_methods_of_its_variables(cls):
    found = tf.Variable if cls == "Variable" else tf.compat.v2.Variable
    assert [name for name in METHODS if not callable(getattr(found, name))] == []
    assert set(METHODS) <= set(dir(found))


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub", "count_up_to", "set_shape"])
def test_the_class_itself_does_nothing(method):
    with tf.Graph().as_default():
        variable = tf.Variable([1.0], use_resource=False)
        with pytest.raises(NotImplementedError):
            getattr(tf.Variable, method)(variable, [2.0])


@pytest.mark.parametrize("method", ["sparse_read", "gather_nd"])
def test_reference_variables_are_not_read_by_rows(method):
    with tf.Graph().as_default():
        variable = tf.Variable([1.0, 2.0], use_resource=False, name="rows")
        with pytest.raises(AttributeError, match=f"rows:0.*{method}.*use_resource=True"):
            getattr(variable, method)([0])
        resource = tf.Variable([1.0, 2.0], use_resource=True)
        assert getattr(resource, method)([[0]]).shape.as_list() in ([1], [1, 1])


def test_functions_say_that_their_bodies_are_being_built():
    assert tf.Graph.building_function is False
    seen = []

    @tf.function
    def body(x):
        seen.append(tf.get_default_graph().building_function)
        return x

    with tf.Graph().as_default():
        body(tf.constant(1.0))
    assert seen == [True]


@pytest.mark.parametrize("collections", [None, [], ["mine"]])
def test_creators_cannot_choose_collections_of_variables_of_tensorflow_2(collections):
    seen = []

    def creator(next_creator, **kwargs):
        seen.append(sorted(kwargs))
        return next_creator(**{**kwargs, "collections": collections})

    with tf.Graph().as_default(), tf.variable_creator_scope(creator):
        variable = tf.compat.v2.Variable(1.0)
        assert tf.global_variables() == [variable]
        assert tf.get_collection("mine") == []
    assert not {"collections", "use_resource", "expected_shape"} & set(seen[0])
