# Made by tools/make_stubs.py.

__all__ = ['DEBUG', 'ERROR', 'FATAL', 'INFO', 'TaskLevelStatusMessage', 'WARN', 'debug', 'error', 'fatal', 'flush', 'get_verbosity', 'info', 'log', 'log_every_n', 'log_first_n', 'log_if', 'set_verbosity', 'vlog', 'warn', 'warning']
from headrace.util.tf_logging import DEBUG as DEBUG
from headrace.util.tf_logging import ERROR as ERROR
from headrace.util.tf_logging import FATAL as FATAL
from headrace.util.tf_logging import INFO as INFO
from headrace.util.tf_logging import TaskLevelStatusMessage as TaskLevelStatusMessage
from headrace.util.tf_logging import WARN as WARN
from headrace.util.tf_logging import debug as debug
from headrace.util.tf_logging import error as error
from headrace.util.tf_logging import fatal as fatal
from headrace.util.tf_logging import flush as flush
from headrace.util.tf_logging import get_verbosity as get_verbosity
from headrace.util.tf_logging import info as info
from headrace.util.tf_logging import log as log
from headrace.util.tf_logging import log_every_n as log_every_n
from headrace.util.tf_logging import log_first_n as log_first_n
from headrace.util.tf_logging import log_if as log_if
from headrace.util.tf_logging import set_verbosity as set_verbosity
from headrace.util.tf_logging import vlog as vlog
from headrace.util.tf_logging import warn as warn
from headrace.util.tf_logging import warning as warning
