# Made by tools/make_stubs.py.

__all__ = ['create_operator', 'dot', 'identity_operator', 'l2norm', 'l2norm_squared', 'l2normalize']
from headrace.contrib.solvers.util import create_operator as create_operator
from headrace.contrib.solvers.util import dot as dot
from headrace.contrib.solvers.util import identity_operator as identity_operator
from headrace.contrib.solvers.util import l2norm as l2norm
from headrace.contrib.solvers.util import l2norm_squared as l2norm_squared
from headrace.contrib.solvers.util import l2normalize as l2normalize
