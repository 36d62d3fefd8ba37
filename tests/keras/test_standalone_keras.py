"""`import keras`: the stand-alone package, its modules, and what Keras 1 called things."""

import subprocess
import sys

import numpy as np
import pytest

from headrace.keras.standalone.history import with_both_names
from headrace.keras.standalone.renames import LAYERS, Renames

PRELUDE = "import warnings; warnings.simplefilter('ignore')\nimport numpy as np\n"


def run(tmp_path, text, *options):
    """Runs a program as a user does; returns what it printed."""
    script = tmp_path / "program.py"
    script.write_text(PRELUDE + text)
    done = subprocess.run(
        [sys.executable, "-m", "headrace", *options, str(script)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_program_of_keras_1(tmp_path):
    said = run(
        tmp_path,
        """
from keras.models import Sequential
from keras.layers import Convolution2D, MaxPooling2D, Flatten, Dense, Dropout, BatchNormalization
from keras.optimizers import SGD
from keras.regularizers import l2
from keras.constraints import maxnorm
from keras.utils import np_utils
from keras.callbacks import EarlyStopping
model = Sequential()
model.add(Convolution2D(4, 3, 3, border_mode='same', input_shape=(8, 8, 1), dim_ordering='tf', W_regularizer=l2(0.01)))
model.add(MaxPooling2D(pool_size=(2, 2), border_mode='valid'))
model.add(BatchNormalization(mode=0))
model.add(Flatten())
model.add(Dropout(p=0.25))
model.add(Dense(output_dim=3, init='uniform', activation='softmax', W_constraint=maxnorm(2)))
model.compile(loss='categorical_crossentropy', optimizer=SGD(lr=0.1, momentum=0.9), metrics=['accuracy'])
x, y = np.random.rand(10, 8, 8, 1), np_utils.to_categorical(np.arange(10) % 3, 3)
h = model.fit(x, y, nb_epoch=2, validation_data=(x, y), verbose=0, callbacks=[EarlyStopping(monitor='val_acc', patience=5)])
print(model.output_shape, sorted(h.history), h.history['val_acc'] == h.history['val_accuracy'])
def batches():
    while True:
        yield x, y
model.fit_generator(batches(), samples_per_epoch=2, nb_epoch=1, verbose=0, max_q_size=2)
print(model.layers[0].get_config()['kernel_size'], model.layers[0].get_config()['padding'])
""",
    )
    assert said.splitlines() == [
        "(None, 3) ['accuracy', 'loss', 'val_accuracy', 'val_loss'] True",
        "(3, 3) same",
    ]


def test_merging_as_keras_1_did(tmp_path):
    said = run(
        tmp_path,
        """
from keras.models import Sequential, Model
from keras.layers import Dense, Input, Merge, merge, Highway, MaxoutDense
left, right = Sequential([Dense(4, input_dim=3)]), Sequential([Dense(4, input_dim=2)])
model = Sequential()
model.add(Merge([left, right], mode='concat'))
model.add(Dense(1))
print(model.predict([np.ones((5, 3)), np.ones((5, 2))]).shape, len(model.get_weights()))
a, b = Input((4,)), Input(shape=(4,))
both = [merge([a, b], mode=mode) for mode in ('sum', 'mul', 'ave', 'max', 'concat', 'dot', 'cos')]
both.append(merge([a, b], mode=lambda pair: pair[0] - pair[1], output_shape=(4,)))
values = Model(input=[a, b], output=both).predict([np.array([[1., 2, 3, 4]]), np.array([[2., 2, 2, 2]])])
print([np.round(v.reshape(-1).astype('float64'), 4).tolist() for v in values])
print(Model(a, Highway()(MaxoutDense(4)(a))).predict(np.ones((2, 4))).shape)
""",
    )
    lines = said.splitlines()
    assert lines[0] == "(5, 1) 6"
    cosine = 20 / np.sqrt(30 * 16)
    assert eval(lines[1]) == [
        [3, 4, 5, 6],
        [2, 4, 6, 8],
        [1.5, 2, 2.5, 3],
        [2, 2, 3, 4],
        [1, 2, 3, 4, 2, 2, 2, 2],
        [20],
        [round(float(cosine), 4)],
        [-1, 0, 1, 2],
    ]
    assert lines[2] == "(2, 4)"


def test_layers_of_programs_of_both_ages(tmp_path):
    said = run(
        tmp_path,
        """
import keras
from keras import backend as K
from keras.engine.topology import Layer
from keras.models import Sequential
class Old(Layer):
    def __init__(self, output_dim, **kwargs):
        self.output_dim = output_dim
        super(Old, self).__init__(**kwargs)
    def build(self, input_shape):
        self.W = self.add_weight((input_shape[1], self.output_dim), initializer='ones', name='W')
        super(Old, self).build(input_shape)
    def call(self, x, mask=None):
        return K.dot(x, self.W)
    def get_output_shape_for(self, input_shape):
        return (input_shape[0], self.output_dim)
class New(Layer):
    def build(self, input_shape):
        self.b = self.add_weight(name='b', shape=(input_shape[1],), initializer='ones', trainable=True)
        super(New, self).build(input_shape)
    def call(self, x):
        return x + self.b
    def compute_output_shape(self, input_shape):
        return input_shape
model = Sequential([Old(3, input_shape=(5,)), New()])
print(model.output_shape, model.predict(np.ones((1, 5))).tolist(), isinstance(model.layers[0], keras.layers.Layer))
print(isinstance(keras.layers.Activation('relu'), Layer), issubclass(keras.layers.Dense, Layer))
""",
    )
    assert said.splitlines() == ["(None, 3) [[6.0, 6.0, 6.0]] True", "True True"]


def test_modules_and_defaults_are_those_of_2_3(tmp_path):
    said = run(
        tmp_path,
        """
import importlib, keras
for name in '''activations applications.vgg16 backend.tensorflow_backend callbacks constraints datasets.mnist engine
engine.topology engine.training engine.base_layer initializers initializations layers.core layers.convolutional
layers.recurrent layers.embeddings layers.normalization layers.advanced_activations layers.merge layers.wrappers
layers.pooling layers.noise layers.local legacy.interfaces losses metrics models objectives optimizers
preprocessing.image preprocessing.sequence preprocessing.text regularizers utils.np_utils utils.generic_utils
utils.vis_utils wrappers.scikit_learn'''.split():
    importlib.import_module('keras.' + name)
print(keras.__version__, keras.layers.LSTM(3).get_config()['recurrent_activation'], keras.layers.LSTM(3).implementation)
print([round(float(keras.backend.get_value(kind().lr)), 4) for kind in (keras.optimizers.Adadelta, keras.optimizers.Adagrad,
       keras.optimizers.Adamax, keras.optimizers.Nadam, keras.optimizers.adam)])
print(keras.backend.image_dim_ordering(), keras.backend.tf.__version__)
import keras_applications.resnet50, keras_preprocessing.sequence
""",
    )
    assert said.splitlines() == [
        "2.3.1 sigmoid 2",
        "[1.0, 0.01, 0.002, 0.002, 0.001]",
        "tf 1.15.5",
    ]


def test_a_keras_that_is_installed_comes_first_where_asked(tmp_path):
    (tmp_path / "keras.py").write_text("__version__ = 'the other one'\n")
    program = "import keras; print(keras.__version__)"
    assert run(tmp_path, program).strip() == "2.3.1"
    assert run(tmp_path, program, "--no-keras").strip() == "the other one"
    assert run(tmp_path, program, "run", "--no-keras").strip() == "the other one"


def test_modules_that_are_not_there(tmp_path):
    said = run(
        tmp_path,
        """
import keras
for name in ('keras.nothing', 'keras.layers.nothing'):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error)
try:
    keras.layers.Dens
except AttributeError as error:
    print(error)
""",
    )
    assert said.splitlines() == [
        "No module named 'keras.nothing'",
        "No module named 'keras.layers.nothing'",
        "module 'keras.layers' has no attribute 'Dens'; close: Dense",
    ]


@pytest.mark.parametrize(
    ("layer", "args", "kwargs", "expected"),
    [
        ("Dense", (), {"output_dim": 3, "init": "one", "bias": False},
         {"units": 3, "kernel_initializer": "one", "use_bias": False}),
        ("Conv2D", (4, 3, 5), {}, {"args": [4, (3, 5)]}),
        ("Conv2D", (4,), {"nb_row": 3, "nb_col": 5}, {"args": [4], "kernel_size": (3, 5)}),
        ("Conv2D", (4, 3), {"nb_col": 5, "subsample": (2, 2)}, {"args": [4, (3, 5)], "strides": (2, 2)}),
        ("Conv2D", (4,), {"nb_row": 3, "nb_col": 3, "dim_ordering": "th"},
         {"args": [4], "kernel_size": (3, 3), "data_format": "channels_first"}),
        ("Conv3D", (4, 1, 2, 3), {}, {"args": [4, (1, 2, 3)]}),
        ("Conv1D", (), {"nb_filter": 2, "filter_length": 3, "input_dim": 7},
         {"filters": 2, "kernel_size": 3, "input_shape": (None, 7)}),
        ("Conv2DTranspose", (4, 3, 3, (None, 8, 8, 4)), {"border_mode": "same"}, {"args": [4, (3, 3)], "padding": "same"}),
        ("LSTM", (8,), {"inner_activation": "tanh", "dropout_W": 0.1, "forget_bias_init": "one", "consume_less": "gpu"},
         {"args": [8], "recurrent_activation": "tanh", "dropout": 0.1, "unit_forget_bias": True, "implementation": 2}),
        ("SeparableConv2D", (4, 3, 3), {"init": "he_normal"},
         {"args": [4, (3, 3)], "depthwise_initializer": "he_normal", "pointwise_initializer": "he_normal"}),
        ("ZeroPadding2D", (), {"padding": {"top_pad": 1, "left_pad": 2}}, {"padding": ((1, 0), (2, 0))}),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:Update your")
def test_arguments_of_keras_1(layer, args, kwargs, expected):
    given, named = LAYERS[layer].convert(layer, args, kwargs, 1)
    assert {**({"args": given} if given else {}), **named} == expected


def test_arguments_of_keras_2_pass_without_a_warning():
    given, named = LAYERS["Conv2D"].convert("Conv2D", (4, 3), {"padding": "same"}, 1)
    assert (given, named) == ([4, 3], {"padding": "same"})


def test_an_argument_under_both_names():
    with pytest.raises(TypeError, match="`units` twice"):
        Renames({"output_dim": "units"}).convert("Dense", (), {"units": 1, "output_dim": 2}, 1)


def test_one_warning_tells_the_call_of_today():
    with pytest.warns(
        UserWarning, match=r"Update your `Dense` call to the Keras 2 API: `Dense\(3, kernel_initializer='one'\)`"
    ):
        LAYERS["Dense"].convert("Dense", (3,), {"init": "one"}, 1)


def test_rows_and_columns_beside_arguments_of_keras_2():
    with pytest.raises(ValueError, match="pass `strides` by its name"):
        LAYERS["Conv2D"].convert("Conv2D", (4, 3, 3), {"padding": "same"}, 1)


def test_logs_under_both_names():
    assert with_both_names({"loss": 1, "val_acc": 2, "binary_accuracy": 3}) == {
        "loss": 1, "val_acc": 2, "val_accuracy": 2, "binary_accuracy": 3,
    }  # fmt: skip


def test_files_of_arrays_and_files_as_dicts(tmp_path):
    program = """
import numpy as np
from keras.utils.io_utils import H5Dict, load_array, save_array
save_array(np.arange(4.0), 'a.h5')
print(load_array('a.h5').tolist())
with H5Dict('d.h5', mode='w') as file:
    file['x'], file['names'], file['group']['z'] = np.arange(3.0), ['a', 'b'], 7
with H5Dict('d.h5', mode='r') as file:
    print(file['x'].tolist(), file['names'], file['group']['z'], 'x' in file, 'y' in file, file.get('y', 5))
    for key, value in (('x', 1), ('y', 1)):
        try:
            file[key] = value
        except ValueError as error:
            print(error)
kept = H5Dict({})
kept['g']['b'] = 2
print(kept['g']['b'], H5Dict.is_supported_type('p'), H5Dict.is_supported_type(3))
try:
    kept['g']['b'] = 3
except KeyError as error:
    print(error)
try:
    H5Dict(3)
except TypeError as error:
    print(error)
"""
    assert run(tmp_path, program).splitlines() == [
        "[0.0, 1.0, 2.0, 3.0]",
        "[0.0, 1.0, 2.0] ['a', 'b'] 7 True False 5",
        "Cannot set item in read-only mode.",
        "Cannot set item in read-only mode.",
        "2 True False",
        "\"Cannot set attribute. Group with name 'b' exists.\"",
        "Required Group, str or dict. Received: <class 'int'>.",
    ]


def test_decorators_and_initializers_of_keras_1(tmp_path):
    program = """
import numpy as np
from keras import initializations
from keras.layers import Dense, Layer
from keras.legacy import interfaces
from keras.models import Sequential
from keras.utils.test_utils import get_test_data
class Own(Layer):
    @interfaces.legacy_add_weight_support
    def add_weight(self, name, shape, initializer=None):
        return name, tuple(shape)
    @interfaces.legacy_generator_methods_support
    def fit_generator(self, generator, steps_per_epoch=None, epochs=1):
        return steps_per_epoch, epochs
own = Own()
print(own.add_weight((2, 3), name='w'), own.add_weight('w', (2, 3)))
print(own.fit_generator(None, samples_per_epoch=3, nb_epoch=2))
def doubled(args, kwargs):
    if 'old' not in kwargs:
        return args, kwargs, []
    return args, {'new': 2 * kwargs['old']}, [('old', 'new')]
@interfaces.generate_legacy_interface(allowed_positional_args=['self', 'new'], preprocessor=doubled)
def call(self, new):
    return new
print(call(own, old=3), call(own, 4))
try:
    interfaces.raise_duplicate_arg_error('W', 'kernel')
except TypeError as error:
    print('both the legacy keyword argument `W`' in str(error))
model = Sequential()
model.add(Dense(3, init=lambda shape, name=None: initializations.normal(shape, scale=1e-9, name=name), input_dim=2))
model.add(Dense(1, init=lambda shape: np.full(shape, 2.0, 'float32')))
print(abs(model.get_weights()[0]).max() < 1e-6, model.get_weights()[2].ravel().tolist())
(x, y), (other, _) = get_test_data(20, 10, (4,), classification=True, num_classes=3)
print(x.shape, other.shape, set(y) <= {0, 1, 2})
"""
    assert run(tmp_path, program).splitlines() == [
        "('w', (2, 3)) ('w', (2, 3))",
        "(3, 2)",
        "6 4",
        "True",
        "True [2.0, 2.0, 2.0]",
        "(20, 4) (10, 4) True",
    ]


def test_the_backend_as_keras_1_called_its_arguments(tmp_path):
    program = """
from keras import backend as K
x = K.variable(np.arange(32.).reshape(1, 4, 4, 2))
kernel = K.variable(np.ones((3, 3, 2, 1)))
print(K.eval(K.conv2d(x, kernel, border_mode='same', dim_ordering='tf', filter_shape=(3, 3, 2, 1)))[0, 1, 1])
print(K.eval(K.pool2d(x, (2, 2), border_mode='valid', pool_mode='avg')).shape, K.int_shape(K.expand_dims(x, dim=1)))
print(K.eval(K.spatial_2d_padding(x, padding=(1, 2))).shape, K.eval(K.temporal_padding(K.ones((1, 2, 3)), 2)).shape)
print(K.eval(K.one_hot(K.variable([1], dtype='int32'), nb_classes=3)), K.eval(K.lesser(K.variable(1.), 2.)))
print(K.eval(K.pack([K.ones((2,)), K.zeros((2,))])).shape, K.eval(K.resize_images(x, 2, 1, dim_ordering='tf')).shape)
print(K.eval(K.std(K.random_normal((2000,), mean=0., std=3., seed=1))) > 2)
print(K.eval(K.random_uniform((9,), low=4, high=5)).min() >= 4)
"""
    assert run(tmp_path, program).splitlines() == [
        "[189.]",  # the sum of the nine pixels around: 18 numbers from 0 to 21
        "(1, 3, 3, 2) (1, 1, 4, 4, 2)",
        "(1, 6, 8, 2) (1, 6, 3)",
        "[[0. 1. 0.]] True",
        "(2, 2) (1, 8, 4, 2)",
        "True",
        "True",
    ]


def test_callbacks_see_what_validates_a_training(tmp_path):
    program = """
from keras.callbacks import Callback
from keras.layers import Dense
from keras.models import Sequential
class Seen(Callback):
    def on_epoch_end(self, epoch, logs=None):
        x, y, weights = self.validation_data[:3]
        print(x.shape, y.shape, weights.tolist(), x[0, 0])
model = Sequential([Dense(1, input_dim=2)])
model.compile('sgd', 'mse')
x, y = np.arange(20.).reshape(10, 2), np.arange(10.)
model.fit(x, y, nb_epoch=1, validation_split=0.2, verbose=0, callbacks=[Seen()])
model.fit(x, y, validation_data=(x[:3], y[:3], np.arange(3.)), verbose=0, callbacks=[Seen()])
def batches():
    while True:
        yield x, y
model.fit_generator(batches(), 1, validation_data=(x[:2], y[:2]), verbose=0, callbacks=[Seen()])
"""
    assert run(tmp_path, program).splitlines() == [
        "(2, 2) (2, 1) [1.0, 1.0] 16.0",
        "(3, 2) (3, 1) [0.0, 1.0, 2.0] 0.0",
        "(2, 2) (2, 1) [1.0, 1.0] 0.0",
    ]
