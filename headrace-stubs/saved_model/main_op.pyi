# Made by tools/make_stubs.py.

__all__ = ['main_op', 'main_op_with_restore']
from headrace.saved_model.init_ops import main_op as main_op
from headrace.saved_model.init_ops import main_op_with_restore as main_op_with_restore
