# Made by tools/make_stubs.py.

__all__ = ['dct', 'fft', 'fft2d', 'fft3d', 'idct', 'ifft', 'ifft2d', 'ifft3d', 'irfft', 'irfft2d', 'irfft3d', 'rfft', 'rfft2d', 'rfft3d']
from headrace.functions.signal.cosine import dct as dct
from headrace import batch_fft as fft
from headrace import batch_fft2d as fft2d
from headrace import batch_fft3d as fft3d
from headrace.functions.signal.cosine import idct as idct
from headrace import batch_ifft as ifft
from headrace import batch_ifft2d as ifft2d
from headrace import batch_ifft3d as ifft3d
from headrace.signal import irfft as irfft
from headrace.signal import irfft2d as irfft2d
from headrace.signal import irfft3d as irfft3d
from headrace.signal import rfft as rfft
from headrace.signal import rfft2d as rfft2d
from headrace.signal import rfft3d as rfft3d
