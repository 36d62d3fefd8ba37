# Made by tools/make_stubs.py.

from headrace.functions.signal.cosine import dct as dct
from headrace.ops.math.fft import fft as fft
from headrace.ops.math.fft import fft2d as fft2d
from headrace.ops.math.fft import fft3d as fft3d
from headrace.functions.signal.cosine import idct as idct
from headrace.ops.math.fft import ifft as ifft
from headrace.ops.math.fft import ifft2d as ifft2d
from headrace.ops.math.fft import ifft3d as ifft3d
from headrace.ops.math.fft import irfft as irfft
from headrace.ops.math.fft import irfft2d as irfft2d
from headrace.ops.math.fft import irfft3d as irfft3d
from headrace.ops.math.fft import rfft as rfft
from headrace.ops.math.fft import rfft2d as rfft2d
from headrace.ops.math.fft import rfft3d as rfft3d
