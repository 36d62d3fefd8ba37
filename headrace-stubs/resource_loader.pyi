# Made by tools/make_stubs.py.

__all__ = ['get_data_files_path', 'get_path_to_datafile', 'get_root_dir_with_all_resources', 'load_resource', 'readahead_file_path']
from headrace.app.resource_loader import get_data_files_path as get_data_files_path
from headrace.app.resource_loader import get_path_to_datafile as get_path_to_datafile
from headrace.app.resource_loader import get_root_dir_with_all_resources as get_root_dir_with_all_resources
from headrace.app.resource_loader import load_resource as load_resource
from headrace.app.resource_loader import readahead_file_path as readahead_file_path
