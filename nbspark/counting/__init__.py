"""Documents to counts, and counts added up: kernels over Arrow arrays, without Spark.

``counter`` counts a stream of documents (``pairs`` are the heart of it, ``packing`` what it hands on), ``merging`` adds
up the streams, ``writing`` puts them on disk with the ``facts`` about them, ``table`` holds a model's counts in memory
and ``vocabulary`` limits them.
"""
