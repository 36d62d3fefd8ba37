"""What goes wrong with graphs of layers, and how it is said."""

import tensorflow as tf

results = {}
keras = tf.keras


def said(name, function):
    try:
        function()
        results[name] = "nothing"
    except Exception as error:
        results[name] = [type(error).__name__, (str(error).splitlines() or [""])[0]]


a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
dense = keras.layers.Dense(3)
x = dense(a)
model = keras.Model(a, x, name="m")
said("disconnected", lambda: keras.Model(a, keras.layers.Dense(3)(b)))
said("not an input", lambda: keras.Model(x, dense(a)))
said("placeholder as input", lambda: keras.Model(tf.placeholder("float32", [None, 4], name="p"), x))
said("twice", lambda: keras.Model([a, a], x))
said("names", lambda: keras.Model(a, [keras.layers.Dense(1, name="n")(x), keras.layers.Dense(2, name="n")(x)]))
said("argument", lambda: keras.Model(a, x, colour=1))
said("argument of class", lambda: keras.Model(colour=1))
said("shape", lambda: model(tf.zeros((2, 5))))
said("rank", lambda: dense(tf.zeros((5,))))
said("no such layer", lambda: model.get_layer("none"))
said("no such number", lambda: model.get_layer(index=5))
said("no layer named", lambda: model.get_layer())
said("weights", lambda: model.set_weights([1]))
said("several calls", lambda: [dense(keras.Input((4,))), dense.output])
said("no call", lambda: keras.layers.Dense(1).output)
said("no input", lambda: keras.layers.Dense(1).input)
said("no input shape", lambda: keras.layers.Dense(1).input_shape)
said("unknown node", lambda: dense.get_output_at(7))
said("not built", lambda: keras.Sequential([keras.layers.Dense(1)], name="s").summary())
said("no weights", lambda: keras.Sequential([keras.layers.Dense(1)], name="s").weights)
said("no shape", lambda: keras.Sequential([keras.layers.Dense(1)]).build())
said("no layer", lambda: keras.Sequential([3]))
said("nothing to pop", lambda: keras.Sequential().pop())
said("params", lambda: keras.layers.Dense(1, name="d").count_params())
said("input without shape", lambda: keras.Input())
said("input argument", lambda: keras.Input((1,), colour=1))
said("two shapes", lambda: keras.Input(shape=(1,), batch_shape=(2, 1)))
said("layer argument", lambda: keras.layers.Layer(colour=1))
said("masking", lambda: keras.layers.Flatten()(keras.layers.Embedding(3, 2, mask_zero=True)(keras.Input((2,)))))


class Forgetful(keras.Model):
    def __init__(self):
        self.layer = keras.layers.Dense(1)


class Silent(keras.layers.Layer):
    def call(self, x):
        return None


class Written(keras.Model):
    def call(self, x):
        return x


class Needs(keras.layers.Layer):
    def __init__(self, units):
        super(Needs, self).__init__(name="needs")
        self.units = units


said("forgetful", Forgetful)
said("settings", lambda: Needs(3).get_config())
said("silent", lambda: Silent(name="q")(a)[0])
said("settings of class", lambda: Written().get_config())
said("build without shape", lambda: Written().build(None))
said("clone class", lambda: keras.models.clone_model(Written()))
said("tf.layers", lambda: keras.Sequential([tf.layers.Dense(1)]))
said("metric name", lambda: model.add_metric(tf.reduce_max(x), aggregation="mean"))
said("metric aggregation", lambda: model.add_metric(tf.reduce_max(x), name="q", aggregation="sum"))
said("shape of layer", lambda: Silent().compute_output_shape((2, 3)))
