"""Models served over REST and gRPC, in the protocol of TensorFlow Serving.

import headrace.serve
application = headrace.serve.app("/models/half", "half")   # for uvicorn and other ASGI servers
"""

from headrace.serve.application import app as app
from headrace.serve.codecs import Codec as Codec
