# Made by tools/make_stubs.py.

__all__ = ['GFile', 'copy', 'exists', 'glob', 'isdir', 'listdir', 'makedirs', 'mkdir', 'remove', 'rename', 'rmtree', 'stat', 'walk']
from headrace.files.gfile import GFile as GFile
from headrace.files.io_gfile import copy as copy
from headrace.files.io_gfile import exists as exists
from headrace.files.io_gfile import glob as glob
from headrace.files.io_gfile import isdir as isdir
from headrace.files.io_gfile import listdir as listdir
from headrace.files.io_gfile import makedirs as makedirs
from headrace.files.io_gfile import mkdir as mkdir
from headrace.files.io_gfile import remove as remove
from headrace.files.io_gfile import rename as rename
from headrace.files.io_gfile import rmtree as rmtree
from headrace.files.io_gfile import stat as stat
from headrace.files.io_gfile import walk as walk
