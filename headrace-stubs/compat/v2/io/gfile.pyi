# Made by tools/make_stubs.py.

__all__ = ['GFile', 'copy', 'exists', 'glob', 'isdir', 'listdir', 'makedirs', 'mkdir', 'remove', 'rename', 'rmtree', 'stat', 'walk']
from headrace.io.gfile import GFile as GFile
from headrace.io.gfile import copy as copy
from headrace.io.gfile import exists as exists
from headrace.io.gfile import glob as glob
from headrace.io.gfile import isdir as isdir
from headrace.io.gfile import listdir as listdir
from headrace.io.gfile import makedirs as makedirs
from headrace.io.gfile import mkdir as mkdir
from headrace.io.gfile import remove as remove
from headrace.io.gfile import rename as rename
from headrace.io.gfile import rmtree as rmtree
from headrace.io.gfile import stat as stat
from headrace.io.gfile import walk as walk
