"""Every night: retrain on the day's documents, then score with the champion. For Airflow 3.

The batch is named after the day, so a task that is retried, cleared or killed never learns a day twice.
`nbspark retrain` exits with 0 (promoted), 3 (learned, judged, not promoted) or 1 and 2 (refused: nothing changed). 3 is
no failure: the task is skipped, somebody is told, and scoring goes on with the champion as it was.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

NBSPARK = "/opt/nbspark/bin/nbspark"  # of a venv of its own; or: spark-submit ... /opt/nbspark/jobs/
FOLDER = "/srv/mails"
KEPT = 3  # the exit code of a night that left the champion as it was


def tell(context: Any) -> None:
    """Say that a night was not promoted; put your mail or chat here."""
    day = context["ds"]
    logging.getLogger(__name__).warning(
        "%s was learned and not promoted. Why: nbspark model show. To leave it out: nbspark forget --batch %s", day, day
    )


with DAG(
    "nbspark_mails",
    schedule="15 3 * * *",
    start_date=datetime(2026, 11, 23, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,  # more would do no harm, but each would judge again on top of the other's version
    default_args={"retries": 2, "retry_delay": timedelta(minutes=5)},
):
    retrain = BashOperator(
        task_id="retrain",
        cwd=FOLDER,
        bash_command=(
            f"{NBSPARK} retrain --documents incoming/{{{{ ds }}}}.csv --batch {{{{ ds }}}} --date {{{{ ds }}}} "
            "--holdout-documents holdout.csv --minimum accuracy=0.9 --label label --text text "
            "--model models/mails --report reports/retrain-{{ ds }}.json"
        ),
        skip_on_exit_code=KEPT,
        on_skipped_callback=tell,
    )
    score = BashOperator(
        task_id="score",
        cwd=FOLDER,
        bash_command=(
            f"{NBSPARK} score --documents unlabelled/{{{{ ds }}}}.csv --model models/mails "
            "--output scored/{{ ds }} --overwrite-unfinished --keep id"
        ),
        trigger_rule="none_failed",  # after a promotion, and after a night that was skipped
    )
    retrain >> score
