# Made by tools/make_stubs.py.

__all__ = ['decode_wav', 'encode_wav']
from headrace.ops.audio.wav import decode_wav as decode_wav
from headrace.ops.audio.wav import encode_wav as encode_wav
