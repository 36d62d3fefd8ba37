# Made by tools/make_stubs.py.

__all__ = ['Constraint', 'MaxNorm', 'MinMaxNorm', 'NonNeg', 'RadialConstraint', 'UnitNorm', 'deserialize', 'get', 'max_norm', 'min_max_norm', 'non_neg', 'radial_constraint', 'serialize', 'unit_norm']
from headrace.keras.constraints import Constraint as Constraint
from headrace.keras.constraints import MaxNorm as MaxNorm
from headrace.keras.constraints import MinMaxNorm as MinMaxNorm
from headrace.keras.constraints import NonNeg as NonNeg
from headrace.keras.constraints import RadialConstraint as RadialConstraint
from headrace.keras.constraints import UnitNorm as UnitNorm
from headrace.keras.constraints import deserialize as deserialize
from headrace.keras.constraints import get as get
from headrace.keras.constraints import max_norm as max_norm
from headrace.keras.constraints import min_max_norm as min_max_norm
from headrace.keras.constraints import non_neg as non_neg
from headrace.keras.constraints import radial_constraint as radial_constraint
from headrace.keras.constraints import serialize as serialize
from headrace.keras.constraints import unit_norm as unit_norm
