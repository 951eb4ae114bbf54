"""Documents to counts, and counts added up: kernels over Arrow arrays, without Spark.

``counter`` counts a stream of documents, ``merging`` adds up the streams, ``table`` holds a model's counts in
memory and ``vocabulary`` limits them.
"""
