"""What the Databricks job runs each night: retrain, and tell the job whether the champion moved.

A task of a job has no exit code of its own to branch on, only success and failure. So this ends well for 0 (promoted)
and 3 (kept), and hands the decision on as a task value, which a task of the kind "condition" can read.
"""

import sys

from nbspark.cli import main

DECISIONS = {0: "promoted", 3: "kept"}

if __name__ == "__main__":
    code = main(["retrain", *sys.argv[1:]])
    if code not in DECISIONS:
        sys.exit(code)  # the line that says why is in the task's output
    try:
        from databricks.sdk.runtime import dbutils  # only where a job runs
    except ImportError:
        print(DECISIONS[code])
    else:
        dbutils.jobs.taskValues.set("decision", DECISIONS[code])
