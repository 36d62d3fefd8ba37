"""Lists and dicts that are attributes of models, and the containers of checkpoints."""

import copy

import tensorflow as tf

tf.enable_eager_execution()
results = {}
Dense = tf.keras.layers.Dense


class Many(tf.keras.Model):
    def __init__(self):
        super(Many, self).__init__()
        self.listed = [Dense(1)]
        self.named = {"x": Dense(1), "y": [Dense(2)]}
        self.numbers = [1, 2]
        self.loose = []
        self.empty = {}

    def call(self, x):
        return self.listed[0](x)


model = Many()
model.build((1, 2))
names = ("listed", "named", "numbers", "loose", "empty")
results["kinds"] = [type(getattr(model, name)).__name__.strip("_") for name in names]
results["texts"] = [repr(model.numbers), str(model.numbers), repr(model.empty), str(model.empty)]
model.loose.append(tf.Variable(1.0))
model.loose.append(tf.Variable(2.0, trainable=False))
results["weights"] = [len(model.trainable_weights), len(model.non_trainable_weights)]
model.listed.append(Dense(3))
results["layers"] = sorted(layer.units for layer in model.layers)
results["as lists"] = [
    model.numbers == [1, 2],
    model.empty == {},
    type(model.numbers + [3]).__name__,
    type([0] + model.numbers).__name__,
    list(model.numbers * 2),
    isinstance(model.numbers, list),
    isinstance(model.empty, dict),
    type(copy.copy(model.numbers)).__name__,
    type(copy.deepcopy(model.numbers)).__name__,
]

layers = tf.contrib.checkpoint.List([Dense(1), Dense(2)])
results["list"] = [
    len(layers),
    [layer.units for layer in layers.layers],
    layers.trainable,
    layers.losses,
    layers.updates,
    type(layers + [Dense(3)]).__name__,
    type([Dense(3)] + layers).__name__,
    len(layers * 2),
    repr(layers)[:5],
]


def refused(function, *args):
    try:
        function(*args)
    except (TypeError, ValueError) as error:
        return isinstance(error, ValueError)
    return None


layers.trainable = False
results["frozen"] = [layer.trainable for layer in layers]
mapping = tf.contrib.checkpoint.Mapping(a=Dense(1))
results["mapping"] = [sorted(mapping), mapping.layers[0].units, repr(mapping)[:8], refused(layers.append, 3)]
results["mapping refuses"] = [
    refused(mapping.__setitem__, "a", Dense(2)),
    refused(mapping.__setitem__, 1, Dense(2)),
    refused(mapping.__setitem__, "z", 2),
]


class Part(tf.contrib.checkpoint.Checkpointable):
    pass


def dependencies(container):
    try:
        return [name for name, _ in container._checkpoint_dependencies]
    except ValueError as error:
        return "Unable to save" in str(error)


part = Part()
part.listed = [1, tf.Variable(1.0)]
part.named = {"k": tf.Variable(1.0), 3: 4}
results["found"] = [dependencies(part.listed), dependencies(part.named)]
part.named[3] = tf.Variable(1.0)
part.listed[1] = 2
results["not to be saved"] = [dependencies(part.listed), dependencies(part.named)]
outside = {}
part.outside = outside
outside["n"] = tf.Variable(1.0)
part.added = [tf.Variable(1.0)]
part.added += [tf.Variable(2.0)]
results["changed outside"] = [dependencies(part.outside), dependencies(part.added)]
part.added.trainable = False
results["frozen variables"] = [len(part.added.trainable_weights), len(part.added.non_trainable_weights)]
