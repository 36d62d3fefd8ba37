"""tf.gfile: files and directories."""

HOMES = {"files.gfile": "GFile"}

SPELLED: dict[str, str] = {
    "FastGFile": "files.gfile.GFile",
    "Open": "files.gfile.GFile",
    "Copy": "files.file_io.copy",
    "DeleteRecursively": "files.file_io.delete_recursively",
    "Exists": "files.file_io.file_exists",
    "Glob": "files.file_io.get_matching_files",
    "IsDirectory": "files.file_io.is_directory",
    "ListDirectory": "files.file_io.list_directory",
    "MakeDirs": "files.file_io.recursive_create_dir",
    "MkDir": "files.file_io.create_dir",
    "Remove": "files.file_io.delete_file",
    "Rename": "files.file_io.rename",
    "Stat": "files.file_io.stat",
    "Walk": "files.file_io.walk",
}
