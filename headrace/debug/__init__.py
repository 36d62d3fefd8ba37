"""The debugger: dumps of what a step computed, and a command line to look into it.

Watched runs are told in `headrace.runtime.watching`; here they are written to files in TensorFlow's layout (`dump_files`),
read back (`dump_dir`), and looked into (`commands`, `local_cli`).
"""
