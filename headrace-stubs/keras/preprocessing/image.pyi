# Made by tools/make_stubs.py.

__all__ = ['DirectoryIterator', 'ImageDataGenerator', 'Iterator', 'NumpyArrayIterator', 'apply_affine_transform', 'apply_brightness_shift', 'apply_channel_shift', 'array_to_img', 'img_to_array', 'load_img', 'random_brightness', 'random_channel_shift', 'random_rotation', 'random_shear', 'random_shift', 'random_zoom', 'save_img']
from headrace.keras.preprocessing.image_folders import DirectoryIterator as DirectoryIterator
from headrace.keras.preprocessing.image import ImageDataGenerator as ImageDataGenerator
from headrace.keras.preprocessing.image_iterators import Iterator as Iterator
from headrace.keras.preprocessing.image_iterators import NumpyArrayIterator as NumpyArrayIterator
from headrace.keras.preprocessing.image_transforms import apply_affine_transform as apply_affine_transform
from headrace.keras.preprocessing.image_transforms import apply_brightness_shift as apply_brightness_shift
from headrace.keras.preprocessing.image_transforms import apply_channel_shift as apply_channel_shift
from headrace.keras.preprocessing.image_files import array_to_img as array_to_img
from headrace.keras.preprocessing.image_files import img_to_array as img_to_array
from headrace.keras.preprocessing.image_files import load_img as load_img
from headrace.keras.preprocessing.image_transforms import random_brightness as random_brightness
from headrace.keras.preprocessing.image_transforms import random_channel_shift as random_channel_shift
from headrace.keras.preprocessing.image_transforms import random_rotation as random_rotation
from headrace.keras.preprocessing.image_transforms import random_shear as random_shear
from headrace.keras.preprocessing.image_transforms import random_shift as random_shift
from headrace.keras.preprocessing.image_transforms import random_zoom as random_zoom
from headrace.keras.preprocessing.image_files import save_img as save_img
