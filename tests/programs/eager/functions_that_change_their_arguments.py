"""tf.function of Python functions that change the lists and dictionaries they are given, or make their own."""

import collections

import tensorflow as tf

tf.enable_eager_execution()
results = {}
Pair = collections.namedtuple("Pair", "a b")


def asked(name, function, *args, **kwargs):
    try:
        found = tf.function(function)(*args, **kwargs)
        results[name] = [item.numpy() for item in tf.nest.flatten(found)]
    except ValueError as error:
        results[name] = ["ValueError", str(error)]


def appended(items):
    items.append(1)


def element_set(items):
    items[0] = items[0] + 1
    return items


def element_of_an_element_set(items):
    items[0][0] = tf.constant(5)
    return items


def same_element_set(items):
    items[0] = items[0]
    return items


def popped(items):
    items.pop()
    return 1


def key_added(items):
    items["z"] = 1
    return items


def key_added_to_a_copy(items):
    items = dict(items)
    items["z"] = 1
    return items


def key_deleted(items):
    del items["a"]
    return 1


def keywords_changed(**items):
    items["q"] = 1
    return items


def default_changed(x, items=[]):  # noqa: B006  that is what is asked
    items.append(1)
    return x


def new_pair(pair):
    return Pair(pair.b, pair.a)


one = tf.constant(1)
asked("append", appended, [one])
asked("set", element_set, [one])
asked("set inside", element_of_an_element_set, [[one]])
asked("set the same", same_element_set, [one])
asked("pop", popped, [one])
asked("add a key", key_added, {"a": one})
asked("add a key to a copy", key_added_to_a_copy, {"a": one})
asked("delete a key", key_deleted, {"a": one})
asked("keywords", keywords_changed, a=one)
asked("default", default_changed, one)
asked("no tensors", element_set, [1, 2])
asked("pair", new_pair, Pair(one, tf.constant(2)))
