# Made by tools/make_stubs.py.

__all__ = ['IMAGE_PIXELS', 'IMAGE_SIZE', 'NUM_CLASSES', 'evaluation', 'inference', 'loss', 'training']
from headrace.datasets.mnist_model import IMAGE_PIXELS as IMAGE_PIXELS
from headrace.datasets.mnist_model import IMAGE_SIZE as IMAGE_SIZE
from headrace.datasets.mnist_model import NUM_CLASSES as NUM_CLASSES
from headrace.datasets.mnist_model import evaluation as evaluation
from headrace.datasets.mnist_model import inference as inference
from headrace.datasets.mnist_model import loss as loss
from headrace.datasets.mnist_model import training as training
