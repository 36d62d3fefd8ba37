"""Nested structures: flattening, packing, mapping, paths, and structures that do not fit each other."""

import collections

import tensorflow as tf
from tensorflow.python.util import nest

results = {}
Pair = collections.namedtuple("Pair", "b a")


def refused(action):
    try:
        action()
    except (ValueError, TypeError, KeyError) as error:
        return type(error).__name__
    return "nothing"


structure = {"z": [1, (2, 3)], "a": Pair(b=4, a={"k": 5, "j": [6]}), "m": (), "n": None}
results["flat"] = str(nest.flatten(structure))
results["packed"] = str(nest.pack_sequence_as(structure, list("abcdefg")))
ordered = collections.OrderedDict([("d", 3), ("b", 1)])
results["ordered"] = str(list(nest.pack_sequence_as(ordered, [0, 1]).items())) + str(nest.flatten(ordered))
default = collections.defaultdict(list, b=2, a=1)
results["default"] = [
    str(sorted(nest.map_structure(lambda x: -x, default).items())),
    type(nest.map_structure(lambda x: x, default)).__name__,
]
results["leaves"] = [str(nest.flatten(v)) for v in ("text", b"bytes", 3, None, {3}, range(3), {"a": 1}.values())]
results["nested?"] = [
    str(nest.is_sequence(v)) for v in ("s", b"s", 1, [], (), {}, {1}, range(2), {1: 2}.keys(), Pair(1, 2))
]
results["mapped"] = str(nest.map_structure(lambda x, y: (x, y), [1, {"a": 2}], [3, {"a": 4}]))
results["loose types"] = str(nest.map_structure(lambda x, y: x + y, [1, [2]], (3, (4,)), check_types=False))
results["paths"] = [
    str(list(nest.yield_flat_paths(structure))),
    str(nest.flatten_with_joined_string_paths(structure)),
    str(nest.flatten_with_tuple_paths({"a": Pair(1, [2])})),
]
results["with paths"] = str(nest.map_structure_with_paths(lambda p, *x: p + str(x), {"a": [1, 2]}, {"a": [3, 4]}))
results["with tuples"] = str(nest.map_structure_with_tuple_paths(lambda p, x: (p, x), Pair(1, (2,))))
results["up to"] = [
    str(nest.flatten_up_to([0, [0, 0]], [[1, 2], [(3,), {"a": 4}]])),
    str(nest.flatten_up_to(0, [1, 2])),
    str(nest.flatten_up_to({"a": 0}, {"a": [1], "b": 2}, check_subtrees_length=False)),
    str(nest.map_structure_up_to({"a": None}, len, {"a": [1, 2, 3]})),
    str(nest.map_structure_up_to(Pair(0, 0), lambda v, o: (v, o), Pair(1, 2), Pair([3], {"x": 4}))),
]
results["traverse"] = str(nest.get_traverse_shallow_structure(lambda s: not isinstance(s, tuple), [1, (2, 3), [(4,)]]))
results["dict items"] = str(sorted(nest.flatten_dict_items({(4, 5, (6, 8)): ("a", "b", ("c", "d")), 7: "e"}).items()))
results["refused"] = [
    refused(action)
    for action in (
        lambda: nest.flatten({1: 2, "a": 3}),
        lambda: nest.pack_sequence_as([1, 2], [1]),
        lambda: nest.pack_sequence_as([1, 2], [1, 2, 3]),
        lambda: nest.pack_sequence_as(1, [1, 2]),
        lambda: nest.pack_sequence_as([1], 1),
        lambda: nest.map_structure(1, [1]),
        lambda: nest.map_structure(str),
        lambda: nest.map_structure(str, [1], other=3),
        lambda: nest.assert_same_structure([1], 1),
        lambda: nest.assert_same_structure([1], [1, 2]),
        lambda: nest.assert_same_structure([1], (1,)),
        lambda: nest.assert_same_structure([1], (1,), check_types=False),
        lambda: nest.assert_same_structure({"a": 1}, {"b": 1}),
        lambda: nest.assert_same_structure({"a": 1}, collections.OrderedDict(a=1)),
        lambda: nest.assert_same_structure(Pair(1, 2), collections.namedtuple("Pair", "b a")(1, 2)),
        lambda: nest.assert_same_structure(Pair(1, 2), collections.namedtuple("Pair", "a b")(1, 2)),
        lambda: nest.assert_same_structure(Pair(1, 2), collections.namedtuple("Other", "b a")(1, 2)),
        lambda: nest.assert_same_structure(Pair(1, 2), (1, 2)),
        lambda: nest.assert_shallow_structure([1, 2], [1]),
        lambda: nest.assert_shallow_structure([1, 2], 1),
        lambda: nest.assert_shallow_structure([1, 2], (1, 2)),
        lambda: nest.assert_shallow_structure({"a": 1}, {"b": 1}),
        lambda: nest.flatten_dict_items({(1, 2): (3,)}),
        lambda: nest.flatten_dict_items({(1,): (3,), 1: 4}),
        lambda: nest.flatten_dict_items([1]),
        lambda: nest.get_traverse_shallow_structure(lambda s: 1, [1]),
    )
]


def message(action):
    try:
        action()
    except (ValueError, TypeError) as error:
        return str(error)


results["messages"] = [
    message(lambda: nest.assert_same_structure([1, [2]], [1, 2])),
    message(lambda: nest.assert_same_structure([1], (1,))),
    message(lambda: nest.assert_same_structure([1], [1, 2])),
    message(lambda: nest.pack_sequence_as([1, 2], [1])),
    message(lambda: nest.flatten_up_to([1, 2], [1])),
]

sparse = tf.SparseTensor([[0, 1]], [3.0], [2, 2])
slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
results["composite leaf"] = len(nest.flatten([sparse, slices, 1]))
results["composite parts"] = [
    getattr(x, "name", str(x)) for x in nest.flatten([sparse, slices, 1], expand_composites=True)
]
again = nest.map_structure(lambda t: t, {"s": sparse}, expand_composites=True)["s"]
results["composite packed"] = [type(again).__name__, again.values.name, str(again is sparse)]
results["public"] = [
    str(tf.nest.flatten([1, [2]])),
    str(tf.nest.map_structure(abs, [-1, (-2,)])),
    str(tf.nest.is_nested([])),
    str(tf.contrib.framework.nest.flatten({"b": 1, "a": 2})),
    str(tf.nest.pack_sequence_as([1], [2])),
]
