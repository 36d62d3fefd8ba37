# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['ResizeMethod', 'adjust_brightness', 'adjust_contrast', 'adjust_gamma', 'adjust_hue', 'adjust_jpeg_quality', 'adjust_saturation', 'central_crop', 'combined_non_max_suppression', 'convert_image_dtype', 'crop_and_resize', 'crop_to_bounding_box', 'decode_and_crop_jpeg', 'decode_bmp', 'decode_gif', 'decode_image', 'decode_jpeg', 'decode_png', 'draw_bounding_boxes', 'encode_jpeg', 'encode_png', 'extract_glimpse', 'extract_jpeg_shape', 'extract_patches', 'flip_left_right', 'flip_up_down', 'grayscale_to_rgb', 'hsv_to_rgb', 'image_gradients', 'is_jpeg', 'non_max_suppression', 'non_max_suppression_overlaps', 'non_max_suppression_padded', 'non_max_suppression_with_scores', 'pad_to_bounding_box', 'per_image_standardization', 'psnr', 'random_brightness', 'random_contrast', 'random_crop', 'random_flip_left_right', 'random_flip_up_down', 'random_hue', 'random_jpeg_quality', 'random_saturation', 'resize', 'resize_with_crop_or_pad', 'resize_with_pad', 'rgb_to_grayscale', 'rgb_to_hsv', 'rgb_to_yiq', 'rgb_to_yuv', 'rot90', 'sample_distorted_bounding_box', 'sobel_edges', 'ssim', 'ssim_multiscale', 'total_variation', 'transpose', 'yiq_to_rgb', 'yuv_to_rgb']
from headrace.functions.image.resizing import ResizeMethodV2 as ResizeMethod
from headrace.image import adjust_brightness as adjust_brightness
from headrace.image import adjust_contrast as adjust_contrast
from headrace.image import adjust_gamma as adjust_gamma
from headrace.image import adjust_hue as adjust_hue
from headrace.image import adjust_jpeg_quality as adjust_jpeg_quality
from headrace.image import adjust_saturation as adjust_saturation
from headrace.image import central_crop as central_crop
from headrace.image import combined_non_max_suppression as combined_non_max_suppression
from headrace.image import convert_image_dtype as convert_image_dtype
crop_and_resize: Any
from headrace.image import crop_to_bounding_box as crop_to_bounding_box
from headrace.image import decode_and_crop_jpeg as decode_and_crop_jpeg
from headrace.image import decode_bmp as decode_bmp
from headrace.image import decode_gif as decode_gif
from headrace.image import decode_image as decode_image
from headrace.image import decode_jpeg as decode_jpeg
from headrace.image import decode_png as decode_png
draw_bounding_boxes: Any
from headrace.image import encode_jpeg as encode_jpeg
from headrace.image import encode_png as encode_png
from headrace.functions.image.boxes import extract_glimpse_v2 as extract_glimpse
from headrace.image import extract_jpeg_shape as extract_jpeg_shape
from headrace.image import extract_patches as extract_patches
from headrace.image import flip_left_right as flip_left_right
from headrace.image import flip_up_down as flip_up_down
from headrace.image import grayscale_to_rgb as grayscale_to_rgb
from headrace.image import hsv_to_rgb as hsv_to_rgb
from headrace.image import image_gradients as image_gradients
from headrace.image import is_jpeg as is_jpeg
from headrace.image import non_max_suppression as non_max_suppression
from headrace.image import non_max_suppression_overlaps as non_max_suppression_overlaps
from headrace.image import non_max_suppression_padded as non_max_suppression_padded
from headrace.image import non_max_suppression_with_scores as non_max_suppression_with_scores
from headrace.image import pad_to_bounding_box as pad_to_bounding_box
from headrace.image import per_image_standardization as per_image_standardization
from headrace.image import psnr as psnr
from headrace.image import random_brightness as random_brightness
from headrace.image import random_contrast as random_contrast
from headrace.image import random_crop as random_crop
from headrace.image import random_flip_left_right as random_flip_left_right
from headrace.image import random_flip_up_down as random_flip_up_down
from headrace.image import random_hue as random_hue
from headrace.image import random_jpeg_quality as random_jpeg_quality
from headrace.image import random_saturation as random_saturation
from headrace.image import resize_images_v2 as resize
from headrace.image import resize_with_crop_or_pad as resize_with_crop_or_pad
from headrace.functions.image.resizing import resize_image_with_pad_v2 as resize_with_pad
from headrace.image import rgb_to_grayscale as rgb_to_grayscale
from headrace.image import rgb_to_hsv as rgb_to_hsv
from headrace.image import rgb_to_yiq as rgb_to_yiq
from headrace.image import rgb_to_yuv as rgb_to_yuv
from headrace.image import rot90 as rot90
from headrace.functions.image.boxes import sample_distorted_bounding_box_v2 as sample_distorted_bounding_box
from headrace.image import sobel_edges as sobel_edges
from headrace.image import ssim as ssim
from headrace.image import ssim_multiscale as ssim_multiscale
from headrace.image import total_variation as total_variation
from headrace.image import transpose as transpose
from headrace.image import yiq_to_rgb as yiq_to_rgb
from headrace.image import yuv_to_rgb as yuv_to_rgb
