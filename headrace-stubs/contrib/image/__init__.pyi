# Made by tools/make_stubs.py.

__all__ = ['adjust_hsv_in_yiq', 'adjust_yiq_hsv', 'angles_to_projective_transforms', 'bipartite_match', 'compose_transforms', 'connected_components', 'dense_image_warp', 'flat_transforms_to_matrices', 'interpolate_spline', 'matrices_to_flat_transforms', 'random_hsv_in_yiq', 'random_yiq_hsv', 'rotate', 'single_image_random_dot_stereograms', 'sparse_image_warp', 'transform', 'translate', 'translations_to_projective_transforms']
from headrace.contrib.image.distorting import adjust_hsv_in_yiq as adjust_hsv_in_yiq
from headrace.contrib.image.distorting import adjust_hsv_in_yiq as adjust_yiq_hsv
from headrace.contrib.image.transforms import angles_to_projective_transforms as angles_to_projective_transforms
from headrace.contrib.image.regions import bipartite_match as bipartite_match
from headrace.contrib.image.transforms import compose_transforms as compose_transforms
from headrace.contrib.image.regions import connected_components as connected_components
from headrace.contrib.image.warping import dense_image_warp as dense_image_warp
from headrace.kernels.image.transform_matrices import flat_transforms_to_matrices as flat_transforms_to_matrices
from headrace.contrib.image.warping import interpolate_spline as interpolate_spline
from headrace.kernels.image.transform_matrices import matrices_to_flat_transforms as matrices_to_flat_transforms
from headrace.contrib.image.distorting import random_hsv_in_yiq as random_hsv_in_yiq
from headrace.contrib.image.distorting import random_hsv_in_yiq as random_yiq_hsv
from headrace.contrib.image.transforms import rotate as rotate
from headrace.ops.image.stereograms import single_image_random_dot_stereograms as single_image_random_dot_stereograms
from headrace.contrib.image.warping import sparse_image_warp as sparse_image_warp
from headrace.contrib.image.transforms import transform as transform
from headrace.contrib.image.transforms import translate as translate
from headrace.contrib.image.transforms import translations_to_projective_transforms as translations_to_projective_transforms
