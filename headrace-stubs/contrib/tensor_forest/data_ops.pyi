# Made by tools/make_stubs.py.

__all__ = ['CastToFloat', 'DATA_CATEGORICAL', 'DATA_FLOAT', 'DTYPE_TO_FTYPE', 'DataColumn', 'DataColumnCollection', 'GetColumnName', 'ParseDataTensorOrDict', 'ParseLabelTensorOrDict', 'TensorForestDataSpec']
from headrace.contrib.tensor_forest.data_spec import CastToFloat as CastToFloat
from headrace.contrib.tensor_forest.data_spec import DATA_CATEGORICAL as DATA_CATEGORICAL
from headrace.contrib.tensor_forest.data_spec import DATA_FLOAT as DATA_FLOAT
from headrace.contrib.tensor_forest.data_spec import DTYPE_TO_FTYPE as DTYPE_TO_FTYPE
from headrace.contrib.tensor_forest.data_spec import DataColumn as DataColumn
from headrace.contrib.tensor_forest.data_spec import DataColumnCollection as DataColumnCollection
from headrace.contrib.tensor_forest.data_spec import GetColumnName as GetColumnName
from headrace.contrib.tensor_forest.data_spec import ParseDataTensorOrDict as ParseDataTensorOrDict
from headrace.contrib.tensor_forest.data_spec import ParseLabelTensorOrDict as ParseLabelTensorOrDict
from headrace.contrib.tensor_forest.data_spec import TensorForestDataSpec as TensorForestDataSpec
