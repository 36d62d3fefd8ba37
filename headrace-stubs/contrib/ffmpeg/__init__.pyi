# Made by tools/make_stubs.py.

__all__ = ['decode_audio', 'encode_audio']
from headrace.contrib.ffmpeg import decode_audio as decode_audio
from headrace.contrib.ffmpeg import encode_audio as encode_audio
