# Made by tools/make_stubs.py.

__all__ = ['DBPEDIA_URL', 'load_dbpedia', 'maybe_download_dbpedia']
from headrace.datasets.text import DBPEDIA_URL as DBPEDIA_URL
from headrace.datasets.text import load_dbpedia as load_dbpedia
from headrace.datasets.text import maybe_download_dbpedia as maybe_download_dbpedia
