"""From probabilities to a prediction: thresholds, costs, the version that scored."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbspark import Text, local
from nbspark.errors import SpecError
from nbspark.scoring.costs import CostMatrix, read_costs
from nbspark.scoring.thresholds import Thresholds
from tests.builders import count_table, spec_of, trained
from tests.pages import run_page

SPEC = spec_of(Text("t"))
LABELS = ["ham", "ham", "ham", "spam"]
TEXTS = ["noon noon", "noon", "lunch", "cash"]
ASKED = [None, "unheard", "cash", "noon"]


@pytest.fixture
def stored(tmp_path):
    local.train(SPEC, {"y": LABELS, "t": TEXTS}, tmp_path / "m")
    return local.load(tmp_path / "m")


def test_the_first_threshold_missed_is_the_reason_and_the_probability_stays(stored):
    found = stored.predict(ASKED, min_known=1, min_probability=0.75, min_evidence=2).to_pydict()
    # cash: 1/4 (1 + 1) / (1 + 3) = 1/8 of spam, 3/4 (0 + 1) / (4 + 3) = 3/28 of ham
    # noon: 1/4 (0 + 1) / (1 + 3) = 1/16 of spam, 3/4 (3 + 1) / (4 + 3) = 3/7 of ham
    assert found["probability"] == pytest.approx([3 / 4, 3 / 4, (1 / 8) / (1 / 8 + 3 / 28), 48 / 55], abs=1e-12)
    assert found["prediction"] == [None, None, None, "ham"]
    assert found["reason"] == ["min_known", "min_known", "min_evidence", None]
    assert stored.predict(["cash"], min_evidence=1, min_probability=0.75)["reason"].to_pylist() == ["min_probability"]


def test_a_threshold_that_is_just_reached_gives_the_prediction(stored):
    share = stored.predict(["noon"])["probability"][0].as_py()
    assert stored.predict(["noon"], min_probability=share, min_known=1)["reason"].to_pylist() == [None]
    found = stored.predict(["noon"], min_probability=np.nextafter(share, 1).item())
    assert found["reason"].to_pylist() == ["min_probability"]


def test_margin_is_between_the_two_highest_probabilities(stored):
    share = stored.predict(["noon"])["probability"][0].as_py()
    assert stored.predict(["noon"], min_margin=2 * share - 1 - 1e-9)["prediction"].to_pylist() == ["ham"]
    assert stored.predict(["noon"], min_margin=2 * share - 1 + 1e-9)["reason"].to_pylist() == ["min_margin"]


def test_without_thresholds_there_is_no_reason_and_nothing_of_it_when_no_class_is_possible():
    scorer = trained(spec_of(Text("t"), alpha="maximum_likelihood"), ["a", "b"], ["x", "z"])
    assert [field.name for field in scorer.fields()] == ["prediction", "probability", "n_terms", "n_known"]
    asked = {"thresholds": Thresholds(min_known=3)}
    scorer = trained(spec_of(Text("t"), alpha="maximum_likelihood"), ["a", "b"], ["x", "z"], **asked)
    prediction, probability, _, _, reason = scorer.predict([pa.array(["x z", "x"])])
    assert (prediction.to_pylist(), reason.to_pylist()) == ([None, None], ["impossible", "min_known"])
    assert probability.to_pylist() == [None, 1.0]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"min_probability": 1.5}, "min_probability wants a number from 0 to 1, found 1.5"),
        ({"min_margin": float("nan")}, "min_margin wants a number from 0 to 1, found nan"),
        ({"min_known": -1}, "min_known wants a number >= 0, found -1"),
        ({"min_evidence": "many"}, "min_evidence wants a number >= 0, found 'many'"),
        ({"costs": {"ham": {"spam": 1}}}, "no cost of 'ham' for a true 'spam'"),
        ({"costs": {"ham": {"spam": 1}, "spam": {"hamm": 1}}}, "no class 'hamm' .did you mean 'ham'.*; no cost"),
        ({"costs": {"ham": {"spam": -1}, "spam": {"ham": 1}}}, "finite numbers >= 0, found -1 of 'spam' for a true"),
        ({"costs": {"ham": {"spam": float("inf")}, "spam": {"ham": 1}}}, "found inf of 'spam'"),
        ({"costs": [1]}, r"costs wants \{true label"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(stored, asked, told):
    with pytest.raises(SpecError, match=told) as error:
        stored.predict(["noon"], **asked)
    assert "\n" not in str(error.value)


def test_the_prediction_costs_least_and_the_probability_is_its_own(stored):
    costs = {"ham": {"spam": 1}, "spam": {"ham": 10}}
    plain = stored.predict(ASKED, probabilities=True).to_pydict()
    found = stored.predict(ASKED, costs=costs, probabilities=True).to_pydict()
    shares = [dict(one) for one in plain["probabilities"]]
    expected = ["ham" if 10 * one["spam"] <= one["ham"] else "spam" for one in shares]
    assert found["prediction"] == expected != plain["prediction"]
    assert found["probability"] == [one[label] for one, label in zip(shares, expected, strict=True)]
    assert found["probabilities"] == plain["probabilities"]


@given(st.lists(st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_equal_costs_give_the_most_probable_class_ties_included(numbers):
    shares = np.array(numbers, float)
    shares /= shares.sum(axis=1, keepdims=True)
    costs = CostMatrix({one: {other: 0.1 for other in "abcd" if other != one} for one in "abcd"}, "abcd")
    assert costs.cheapest(shares).tolist() == shares.argmax(axis=1).tolist()


def test_costs_are_read_from_toml_and_json(tmp_path):
    costs = {"ham": {"spam": 10}, "spam": {"ham": 1.5}}
    (tmp_path / "a.json").write_text(json.dumps(costs))
    (tmp_path / "a.toml").write_text("[ham]\nspam = 10\n[spam]\nham = 1.5\n")
    assert read_costs(tmp_path / "a.json") == read_costs(tmp_path / "a.toml") == costs
    (tmp_path / "b.json").write_text('{"ham": 1}')
    for name, told in (("b.json", "wants {true label"), ("c.toml", "No such file")):
        with pytest.raises(SpecError, match=f"costs file .*{name}.*{told}"):
            read_costs(tmp_path / name)


def test_predictions_carry_the_version_of_a_stored_model_only(stored):
    found = stored.predict(["noon", None], with_version=True)
    assert found.schema.field("model_version").type == pa.int32()
    assert found["model_version"].to_pylist() == [1, 1]
    with pytest.raises(SpecError, match="not stored, so it has no version"):
        local.LocalModel(SPEC, count_table(SPEC, LABELS, TEXTS)).predict(["noon"], with_version=True)


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [one["reason"] for one in [*run_page("docs/deciding.md")["found"]]] == [None, "min_known"]
