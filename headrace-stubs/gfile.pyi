# Made by tools/make_stubs.py.

__all__ = ['Copy', 'DeleteRecursively', 'Exists', 'FastGFile', 'GFile', 'Glob', 'IsDirectory', 'ListDirectory', 'MakeDirs', 'MkDir', 'Open', 'Remove', 'Rename', 'Stat', 'Walk']
from headrace.files.file_io import copy as Copy
from headrace.files.file_io import delete_recursively as DeleteRecursively
from headrace.files.file_io import file_exists as Exists
from headrace.files.gfile import GFile as FastGFile
from headrace.files.gfile import GFile as GFile
from headrace.files.file_io import get_matching_files as Glob
from headrace.files.file_io import is_directory as IsDirectory
from headrace.files.file_io import list_directory as ListDirectory
from headrace.files.file_io import recursive_create_dir as MakeDirs
from headrace.files.file_io import create_dir as MkDir
from headrace.files.gfile import GFile as Open
from headrace.files.file_io import delete_file as Remove
from headrace.files.file_io import rename as Rename
from headrace.files.file_io import stat as Stat
from headrace.files.file_io import walk as Walk
