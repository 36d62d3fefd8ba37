# Made by tools/make_stubs.py.

from headrace.saved_model.init_ops import main_op as main_op
from headrace.saved_model.init_ops import main_op_with_restore as main_op_with_restore
