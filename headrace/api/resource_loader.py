"""tf.resource_loader: files that lie beside the program."""

HOMES = {
    "app.resource_loader": "get_data_files_path get_path_to_datafile get_root_dir_with_all_resources load_resource "
    "readahead_file_path",
}
