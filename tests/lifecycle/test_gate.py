"""The gate's decision, on numbers that a hand can check."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from nbspark.errors import DocumentsError, SpecError, StoreError
from nbspark.evaluation.significance import mcnemar
from nbspark.lifecycle.gate import Decision, Gate, bootstrap_p_value, decide, decision_of
from nbspark.retrain.judging import judged
from nbspark.schemas import PAIRED
from nbspark.store import Version

GOOD, BAD = {"accuracy": 0.9, "macro_f1": 0.8, "log_loss": 0.3}, {"accuracy": 0.8, "macro_f1": 0.9, "log_loss": 0.4}


def test_mcnemar_is_the_binomial_tail_towards_worse():
    # 5 documents that one of both is right about, all of them the champion: 1/32; then the other way round: all of it.
    assert mcnemar(5, 0, alternative="greater") == pytest.approx(1 / 32)
    assert mcnemar(0, 5, alternative="greater") == mcnemar(0, 0, alternative="greater") == 1.0
    assert mcnemar(8, 2, alternative="greater") == pytest.approx((45 + 10 + 1) / 1024)


def test_a_bootstrap_counts_the_resamplings_in_which_the_challenger_is_not_worse():
    apart = np.array([-0.1, *[-0.1] * 98, 0.0])
    assert bootstrap_p_value(apart, higher_is_better=True) == (1 + 1) / 100
    assert bootstrap_p_value(apart, higher_is_better=False) == 1.0
    assert bootstrap_p_value(-apart, higher_is_better=False) == (1 + 1) / 100


def test_worse_at_the_level_or_below_a_minimum_is_kept_out_and_both_are_said():
    gate = Gate(level=0.05, minimum={"accuracy": 0.85, "log_loss": 0.35})
    assert decide(gate, GOOD, BAD, 0.050001)[0]
    promoted, reason = decide(gate, BAD, GOOD, 0.05)
    assert not promoted
    assert reason == (
        "accuracy 0.8000 is significantly worse than the champion's 0.9000 (McNemar's exact test, p = 0.05); "
        "accuracy 0.8000 is below the minimum 0.85; log_loss 0.4000 is above the limit 0.35"
    )
    assert decide(Gate(minimum={"accuracy": 0.8}), BAD, None, None)[0]  # exactly at the minimum
    assert not decide(Gate(minimum={"log_loss": 9}), GOOD | {"log_loss": "Infinity"}, None, None)[0]
    assert not decide(Gate(minimum={"log_loss": 9}), GOOD | {"log_loss": None}, None, None)[0]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"metric": "acuracy"}, r"metric 'acuracy' \(did you mean 'accuracy'\?\): a gate knows accuracy, macro_f1"),
        ({"minimum": {"recall": 0.5}}, "metric 'recall'"),
        ({"minimum": {"accuracy": 90}}, "minimum accuracy wants a share from 0 to 1, found 90"),
        ({"minimum": {"log_loss": -1}}, "minimum log_loss wants a number of nats"),
        ({"level": 0}, "level wants a number between 0 and 1"),
        ({"level": 1.5}, "level wants a number between 0 and 1"),
        ({"metric": "log_loss", "level": 0.0001}, "level of a paired bootstrap wants 0.005 or more"),
    ],
)
def test_a_gate_that_cannot_be_is_refused(asked, told):
    with pytest.raises(SpecError, match=told):
        Gate(**asked)


def test_a_decision_comes_back_from_a_versions_note():
    one = Decision(False, "why", Gate("log_loss", 0.01, {"accuracy": 0.5}), GOOD, BAD, 3, 2, 0.004, {"share": "1/10"})
    assert one.to_json()["decision"] == "kept"
    assert Decision.from_json(one.to_json()) == one


@pytest.mark.parametrize(
    "wrong", [{"metric": "x"}, {"challenger": {}}, {"level": "high"}, {"minimum": 3}, {"reason": None}]
)
def test_a_decision_that_cannot_be_read_is_one_line(wrong):
    note = {**Decision(True, "why", Gate(), GOOD | {"n_docs": 5}).to_json(), **wrong}
    version = Version(3, 2, (), "", "", "", note={"gate": {k: v for k, v in note.items() if v is not None}})
    with pytest.raises(StoreError, match="version 3: the decision in its note cannot be read"):
        decision_of(version)


def pairs(*rows):
    """Return paired counts: label, champion, challenger, documents, with a loss of 1 nat each."""
    full = [(None, *row[:3], row[3], 1.0, row[3], 1.0, row[3]) for row in rows]
    return pa.Table.from_pylist([dict(zip(PAIRED.names, row, strict=True)) for row in full], PAIRED)


def test_labels_that_a_model_cannot_know_are_told():
    known = {"challenger": ["eggs", "ham"], "champion": ["ham"]}
    table = pairs(("eggs", "ham", "eggs", 2))
    with pytest.raises(DocumentsError, match=r"all their labels \('eggs'\) are new; the champion knows 'ham'"):
        judged(table, known, Gate(), ["eggs"])
    with pytest.raises(DocumentsError, match=r"none of its labels \('eggs'\) is known to the champion \('ham'\)"):
        judged(table, known, Gate(), ["eggs", "ham"])
    with pytest.raises(DocumentsError, match="holds no document"):
        judged(pairs(), known, Gate(), ["ham"])
    with pytest.raises(DocumentsError, match="none of the 2 documents has a label"):
        judged(pairs((None, "ham", "ham", 2)), known, Gate(), ["ham"])
    found = judged(pairs(("ham", "ham", "eggs", 5), ("ham", "ham", "ham", 5)), known, Gate(), ["ham"])
    assert (found.challenger["accuracy"], found.champion["accuracy"], found.p_value) == (0.5, 1.0, 1 / 32)
