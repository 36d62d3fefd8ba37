# Made by tools/make_stubs.py.

__all__ = ['CustomObjectScope', 'GeneratorEnqueuer', 'HDF5Matrix', 'OrderedEnqueuer', 'Progbar', 'Sequence', 'SequenceEnqueuer', 'convert_all_kernels_in_model', 'custom_object_scope', 'deserialize_keras_object', 'get_custom_objects', 'get_file', 'get_source_inputs', 'model_to_dot', 'multi_gpu_model', 'normalize', 'plot_model', 'serialize_keras_object', 'to_categorical']
from headrace.keras.utils.generic_utils import CustomObjectScope as CustomObjectScope
from headrace.keras.utils.data_utils import GeneratorEnqueuer as GeneratorEnqueuer
from headrace.keras.utils.io_utils import HDF5Matrix as HDF5Matrix
from headrace.keras.utils.data_utils import OrderedEnqueuer as OrderedEnqueuer
from headrace.keras.utils.progress import Progbar as Progbar
from headrace.keras.utils.data_utils import Sequence as Sequence
from headrace.keras.utils.data_utils import SequenceEnqueuer as SequenceEnqueuer
from headrace.keras.utils.layer_utils import convert_all_kernels_in_model as convert_all_kernels_in_model
from headrace.keras.utils.generic_utils import custom_object_scope as custom_object_scope
from headrace.keras.utils.generic_utils import deserialize_keras_object as deserialize_keras_object
from headrace.keras.utils.generic_utils import get_custom_objects as get_custom_objects
from headrace.keras.utils.downloads import get_file as get_file
from headrace.keras.utils.layer_utils import get_source_inputs as get_source_inputs
from headrace.keras.utils.vis_utils import model_to_dot as model_to_dot
from headrace.keras.utils.multi_gpu_utils import multi_gpu_model as multi_gpu_model
from headrace.keras.utils.np_utils import normalize as normalize
from headrace.keras.utils.vis_utils import plot_model as plot_model
from headrace.keras.utils.generic_utils import serialize_keras_object as serialize_keras_object
from headrace.keras.utils.np_utils import to_categorical as to_categorical
