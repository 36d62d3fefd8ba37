"""`import keras`: layers, penalties and metrics that ended with Keras 1, and the bases that programs derive layers from."""

import numpy as np

from tests.keras.test_standalone_keras import run

RECURRENT = """
from keras import backend as K
from keras.models import Model, Sequential
from keras.layers import Input
from keras.layers.recurrent import Recurrent, _time_distributed_dense

class Sums(Recurrent):
    '''Sums of what an all-one matrix makes of the steps, and of one more for each.'''

    def __init__(self, units, **kwargs):
        self.units = units
        super(Sums, self).__init__(**kwargs)

    def build(self, input_shape):
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        self.states = [None]
        if self.stateful:
            self.reset_states()
        self.W = self.add_weight(shape=(input_shape[-1], self.units), initializer='one', name='W')
        self.built = True

    def preprocess_input(self, inputs, training=None):
        shape = K.int_shape(inputs)
        return _time_distributed_dense(inputs, self.W, None, 0., shape[2], self.units, shape[1], training=training)

    def step(self, inputs, states):
        h = inputs + states[0] + states[1]
        return h, [h]

    def get_constants(self, inputs, training=None):
        return [K.ones_like(inputs[:, 0, :1])]

    def get_config(self):
        return dict(super(Sums, self).get_config(), units=self.units)

x = np.arange(24, dtype='float32').reshape(2, 3, 4)
"""


def _numbers(said):
    return [float(number) for number in said.replace("[", " ").replace("]", " ").split()]


def test_a_recurrent_layer_of_a_program_s_own(tmp_path):
    said = run(
        tmp_path,
        RECURRENT
        + """
for kwargs in [{}, {'unroll': True}, {'go_backwards': True}, {'return_sequences': True}]:
    model = Sequential([Sums(2, input_shape=(3, 4), **kwargs)])
    again = Sequential.from_config(model.get_config(), custom_objects={'Sums': Sums})
    print(model.predict(x)[..., 0].ravel().tolist() + list(model.output_shape[1:]) + list(again.output_shape[1:]))
""",
    )
    per_step = np.arange(24.0).reshape(2, 3, 4).sum(-1) + 1
    last = [*per_step.sum(-1), 2, 2]
    every = [*per_step.cumsum(-1).ravel(), 3, 2, 3, 2]
    assert [_numbers(line.replace(",", " ")) for line in said.splitlines()] == [last, last, last, every]


def test_its_states(tmp_path):
    said = run(
        tmp_path,
        RECURRENT
        + """
model = Sequential([Sums(1, batch_input_shape=(2, 3, 4), stateful=True)])
print(model.predict(x, batch_size=2).ravel(), model.predict(x, batch_size=2).ravel(), len(model.weights))
model.reset_states()
print(model.predict(x, batch_size=2).ravel())
sequence, start = Input((3, 4)), Input((1,))
ends = Sums(1, return_state=True)(sequence, initial_state=start)
print(*[end.ravel() for end in Model([sequence, start], ends).predict([x, np.ones((2, 1))])])
""",
    )
    whole = (np.arange(24.0).reshape(2, 3, 4).sum(-1) + 1).sum(-1)
    one, two, three = (_numbers(line) for line in said.splitlines())
    assert one == [*whole, *(2 * whole), 1]
    assert two == [*whole]
    assert three == [*(whole + 1), *(whole + 1)]


def test_activations_that_learn(tmp_path):
    said = run(
        tmp_path,
        """
from keras.models import Sequential
from keras.layers.advanced_activations import ParametricSoftplus, SReLU
line = Sequential([SReLU(input_shape=(3,))])
line.set_weights([np.array([-1., -1, -1]), np.array([.5, .5, .5]), np.array([2., 2, -2]), np.array([3., 3, 3])])
print(line.predict(np.array([[-3., 0, 2], [1, 2, -1]])).ravel())
curve = Sequential([ParametricSoftplus(alpha_init=0.5, beta_init=2, input_shape=(3, 2), shared_axes=[1])])
print(*curve.predict(np.array([[[-3., 0], [2, 1], [0, 0]]])).ravel(), *np.shape(curve.get_weights()))
line.save('line.h5')
from keras.models import load_model
print(np.allclose(load_model('line.h5', {'SReLU': SReLU}).predict(np.ones((1, 3))), line.predict(np.ones((1, 3)))))
""",
    )
    one, two, three = said.splitlines()
    # Ends at -1 and -1 + 2, slopes 1/2 and 3.
    np.testing.assert_allclose(_numbers(one), [-2, 0, 4, 1, 4, -1])
    curve = 0.5 * np.log1p(np.exp(2 * np.array([-3.0, 0, 2, 1, 0, 0])))
    np.testing.assert_allclose(_numbers(two), [*curve, 2, 1, 2], rtol=1e-5)
    assert three == "True"


def test_penalties_and_metrics_of_keras_1(tmp_path):
    said = run(
        tmp_path,
        """
from keras import backend as K
from keras.models import Sequential
from keras.layers import Dense
from keras.metrics import matthews_correlation
from keras.optimizers import clip_norm, optimizer_from_config
from keras.regularizers import EigenvalueRegularizer
from keras.utils.np_utils import binary_logloss, multiclass_logloss
model = Sequential([Dense(3, input_shape=(4,), kernel_regularizer=EigenvalueRegularizer(0.5))])
model.set_weights([np.vstack([np.diag([1., 2, 8]), np.zeros(3)]), np.zeros(3)])
print(K.eval(model.losses[0]))
print(K.eval(matthews_correlation(K.constant([1, 0, 1, 1, 0.]), K.constant([.9, .2, .3, .8, .6]))))
model.compile(optimizer_from_config({'class_name': 'SGD', 'config': {'lr': 0.5}}), 'mse', metrics=[matthews_correlation])
print(model.optimizer.get_config()['learning_rate'], *K.eval(clip_norm(K.constant([3., 4]), 1., K.constant(5.))))
print(binary_logloss([0.5, 0.25], [1, 0]), multiclass_logloss([[0.5, 0.5], [0.25, 0.75]], [0, 1]))
""",
    )
    norm, together, rate, losses = (_numbers(line) for line in said.splitlines())
    np.testing.assert_allclose(norm, [0.5 * 8], rtol=1e-5)
    # Two of three positives and one of two negatives are found: (2 * 1 - 1 * 1) / sqrt(3 * 3 * 2 * 2).
    np.testing.assert_allclose(together, [1 / 6], rtol=1e-5)
    np.testing.assert_allclose(rate, [0.5, 0.6, 0.8], rtol=1e-5)
    expected = [-np.log([0.5, 0.75]).mean(), -np.log([0.5, 0.75]).mean()]
    np.testing.assert_allclose(losses, expected, rtol=1e-6)


def test_bases_and_old_names(tmp_path):
    said = run(
        tmp_path,
        """
from keras import backend as K
from keras.applications.imagenet_utils import _obtain_input_shape
from keras.applications.mobilenet import DepthwiseConv2D, relu6
from keras.engine.topology import Container, load_weights_from_hdf5_group_by_name
from keras.engine.training import _make_batches, _slice_arrays
from keras.layers import AtrousConv2D, ConvLSTM2DCell, Deconv2D, Dense, Input
from keras.layers.convolutional import _Conv
from keras.layers.merge import _Merge
from keras.layers.pooling import _GlobalPooling2D, _Pooling2D
from keras.models import Model
from keras.preprocessing.image import apply_transform, transform_matrix_offset_center

class Mixed(_Merge):
    def _merge_function(self, inputs):
        return 0.25 * inputs[0] + 0.75 * inputs[1]

class Middle(_GlobalPooling2D):
    def call(self, inputs):
        return inputs[:, 1, 1]

a, b = Input((2,)), Input((2,))
model = Model([a, b], Mixed()([a, b]))
print(model.predict([np.ones((1, 2)), np.zeros((1, 2))]).tolist(), isinstance(model, Container))
image = Input((3, 3, 1))
print(Model(image, Middle()(image)).predict(np.arange(9.).reshape(1, 3, 3, 1)).tolist())
print(ConvLSTM2DCell(3, 3).filters, AtrousConv2D(2, 3, atrous_rate=(2, 2)).dilation_rate, Deconv2D(3, 3).filters)
print(K.eval(relu6(K.constant([-1., 3, 9]))).tolist(), DepthwiseConv2D(3).kernel_size)
print(_obtain_input_shape(None, 224, 32, 'channels_last', True), _obtain_input_shape((64, 64, 1), 224, 32, None, False))
print(_make_batches(5, 2), _slice_arrays([np.arange(4)], 1, 3)[0].tolist())
turned = transform_matrix_offset_center(np.array([[0., 1, 0], [1, 0, 0], [0, 0, 1]]), 2, 2)
print(apply_transform(np.arange(4.).reshape(2, 2, 1), turned, 2)[..., 0].round(3).tolist())
print(Dense(2, init='zero', input_dim=2).kernel_initializer.__class__.__name__)
""",
    )
    assert said.splitlines() == [
        "[[0.25, 0.25]] True",
        "[[4.0]]",
        "3 (2, 2) 3",
        "[0.0, 3.0, 6.0] (3, 3)",
        "(224, 224, 3) (64, 64, 1)",
        "[(0, 2), (2, 4), (4, 5)] [1, 2]",
        "[[0.0, 2.0], [1.0, 3.0]]",
        "Zeros",
    ]


def test_weights_that_a_layer_lists_itself(tmp_path):
    """Before Keras 2.3 what a layer trains was what it set `trainable_weights` to."""
    said = run(
        tmp_path,
        """
from keras import backend as K
from keras.engine.topology import Layer
from keras.layers import Input
from keras.models import Model

class Scale(Layer):
    def build(self, input_shape):
        self.scale = K.variable(np.ones(input_shape[-1]), name='scale')
        self.shift = K.variable(np.zeros(input_shape[-1]), name='shift')
        self.seen = K.variable(0., name='seen')
        self.trainable_weights = [self.shift, self.scale]
        self.non_trainable_weights = [self.seen]
        super(Scale, self).build(input_shape)
    def call(self, x, mask=None):
        return x * self.scale + self.shift
    def get_output_shape_for(self, input_shape):
        return input_shape

inputs = Input((2,))
layer = Scale()
model = Model(inputs, layer(inputs))
model.compile('sgd', 'mse')
names = lambda weights: [weight.name.split('/')[-1].split(':')[0] for weight in weights]
print(names(layer.trainable_weights), names(layer.non_trainable_weights), names(model.weights))
model.train_on_batch(np.ones((3, 2)), np.zeros((3, 2)))
print(*[bool(np.any(weight != before)) for weight, before in zip(model.get_weights(), [0, 1, 0])])
""",
    )
    assert said.splitlines() == ["['shift', 'scale'] ['seen'] ['shift', 'scale', 'seen']", "True True False"]
