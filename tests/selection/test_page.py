"""The page on choosing options, run word by word."""

from __future__ import annotations

from tests.pages import run_page


def test_the_page_on_tuning_runs() -> None:
    names = run_page("docs/tuning.md")
    assert names["tuned"].metrics["log_loss"].mean == min(
        one.metrics["log_loss"].mean for one in names["tuned"].settings
    )
    assert names["model"].predict(["win cash"])["prediction"].to_pylist() == ["spam"]
