# Made by tools/make_stubs.py.

__all__ = ['COSINE_DISTANCE', 'GMM', 'GmmAlgorithm', 'KMEANS_PLUS_PLUS_INIT', 'KMeans', 'KMeansClustering', 'RANDOM_INIT', 'SQUARED_EUCLIDEAN_DISTANCE', 'WALSMatrixFactorization', 'WALSModel', 'gmm']
from headrace.contrib.factorization.kmeans import COSINE_DISTANCE as COSINE_DISTANCE
from headrace.contrib.factorization.gmm_estimator import GMM as GMM
from headrace.contrib.factorization.mixtures import GmmAlgorithm as GmmAlgorithm
from headrace.contrib.factorization.kmeans import KMEANS_PLUS_PLUS_INIT as KMEANS_PLUS_PLUS_INIT
from headrace.contrib.factorization.kmeans import KMeans as KMeans
from headrace.contrib.factorization.kmeans_estimator import KMeansClustering as KMeansClustering
from headrace.contrib.factorization.kmeans import RANDOM_INIT as RANDOM_INIT
from headrace.contrib.factorization.kmeans import SQUARED_EUCLIDEAN_DISTANCE as SQUARED_EUCLIDEAN_DISTANCE
from headrace.contrib.factorization.wals_estimator import WALSMatrixFactorization as WALSMatrixFactorization
from headrace.contrib.factorization.wals import WALSModel as WALSModel
from headrace.contrib.factorization.mixtures import gmm as gmm
