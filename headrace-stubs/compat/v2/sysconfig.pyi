# Made by tools/make_stubs.py.

__all__ = ['CXX11_ABI_FLAG', 'MONOLITHIC_BUILD', 'get_compile_flags', 'get_include', 'get_lib', 'get_link_flags']
from headrace.sysconfig import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from headrace.sysconfig import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from headrace.sysconfig import get_compile_flags as get_compile_flags
from headrace.sysconfig import get_include as get_include
from headrace.sysconfig import get_lib as get_lib
from headrace.sysconfig import get_link_flags as get_link_flags
