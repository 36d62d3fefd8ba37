# Made by tools/make_stubs.py.

__all__ = ['odeint', 'odeint_fixed']
from headrace.contrib.integrate.adaptive import odeint as odeint
from headrace.contrib.integrate.fixed import odeint_fixed as odeint_fixed
