"""The commands: each has ``add_arguments(parser)``, ``check(args)`` without Spark, and ``run(spark, args, seconds)``.

``check`` raises what can be told before Spark starts. ``run`` notes what each step took and returns the report. A
command with ``needs_spark(args)`` may do without: ``run`` then gets None for Spark. One with ``exit_code(report)`` says
by another code than 0 what came of a run that ended well.
"""

NAMES = (
    *("train", "tune", "learn", "retrain", "forget", "relabel", "window", "decay", "set", "calibrate"),
    *("score", "evaluate", "explain", "report", "check", "drift", "model", "demo"),
)
