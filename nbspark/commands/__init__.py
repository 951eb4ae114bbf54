"""The commands: each has ``add_arguments(parser)`` and ``run(spark, args)``, which returns its report."""
