"""The commands: each has ``add_arguments(parser)``, ``check(args)`` without Spark, and ``run(spark, args, seconds)``.

``check`` raises what can be told before Spark starts. ``run`` notes what each step took and returns the report.
"""

NAMES = ("train", "score", "evaluate", "demo")
