"""A job through a real spark-submit, with the package as a zip, as on a cluster."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyspark

ROOT = Path(__file__).parents[2]


def test_spark_submit_runs_a_job_with_the_package_as_a_zip(tmp_path):
    (tmp_path / "docs.csv").write_text("label,text\nspam,win cash\nham,lunch noon\n", encoding="utf-8")
    package = shutil.make_archive(str(tmp_path / "nbspark"), "zip", ROOT, "nbspark")
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    # A clean folder and Python's isolated mode: nbspark can come from the zip only.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYSPARK", "SPARK", "PYTHON"))}
    command = [
        submit, "--master", "local[1]", "--properties-file", ROOT / "conf" / "local.conf",
        "--conf", "spark.sql.shuffle.partitions=2", "--py-files", package,
        ROOT / "jobs" / "train.py", "--documents", "docs.csv", "--label", "label", "--text", "text",
        "--model", "model", "--report", "report.json",
    ]  # fmt: skip
    env |= {"PYSPARK_PYTHON": sys.executable, "LOG4J_CONFIGURATION_FILE": (ROOT / "conf/log4j2.properties").as_uri()}
    # Java starts from the archive of the tests, and compiles quickly.
    env["SPARK_SUBMIT_OPTS"] = f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["rows"]["learned"] == 2
    assert report["classes"] == {"ham": 1, "spam": 1}

    again = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=240, check=False)
    assert again.returncode == 1
    assert "nbspark train: error: model" in again.stdout + again.stderr  # spark-submit sends a job's errors to stdout
