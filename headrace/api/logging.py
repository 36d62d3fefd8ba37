"""`tf.logging`: messages for the person who runs the program."""

HOMES = {
    "util.tf_logging": "DEBUG ERROR FATAL INFO TaskLevelStatusMessage WARN debug error fatal flush get_verbosity info "
    "log log_every_n log_first_n log_if set_verbosity vlog warn warning",
}

WHOLE = True
