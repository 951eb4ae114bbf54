"""Calibrating a stored model: the same fit by the command and in memory, by weights, and not on what it has learned."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pyarrow as pa
import pytest

from nbspark import ModelStore, Text, local
from nbspark.cli import main
from nbspark.errors import StoreError
from nbspark.scoring.kernel import Scorer
from nbspark.selection.temperature import Scored, fit_temperature
from nbspark.smoothing.likelihoods import smooth
from nbspark.spec import Spec
from tests.builders import count_table

SPEC = Spec("topic", [Text("body")], weight="n")


def corpus(seed: int, n: int = 60) -> dict[str, list[object]]:
    """Return documents whose every word is there twice, so that a model is too sure."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(0, 3, n)
    bodies = [" ".join(f"w{w} w{w}" for w in rng.integers(0, 6, 5) + 2 * topic) for topic in topics]
    return {"topic": [f"t{topic}" for topic in topics], "body": bodies, "n": [1 + i % 2 for i in range(n)]}


def test_a_stored_model_is_calibrated_on_documents_that_it_has_not_learned(spark, tmp_path, capsys):
    known, new = corpus(1), corpus(2)
    new["topic"][:2] = ["unheard of", ""]
    local.train(SPEC, known, tmp_path / "m")
    shutil.copytree(tmp_path / "m", tmp_path / "copy")

    counts = count_table(SPEC, known["topic"], known["body"], weights=known["n"])
    scorer = Scorer(SPEC.features, smooth(SPEC, counts))
    scores, lengths = scorer.scores_and_lengths([pa.array(new["body"])])
    batch = Scored(scores, scorer.codes_of(pa.array(new["topic"])), lengths, np.array(new["n"], float))
    expected = fit_temperature(lambda: [batch])

    outcome, fitted = ModelStore(tmp_path / "copy").calibrate(new)
    assert fitted == expected
    assert fitted.log_loss < fitted.log_loss_before
    assert outcome.version.version == 2

    rows = [dict(zip(new, row, strict=True)) for row in zip(*new.values(), strict=True)]
    (tmp_path / "new.json").write_text("\n".join(map(json.dumps, rows)))
    argv = ["calibrate", "--documents", tmp_path / "new.json", "--model", tmp_path / "m"]
    argv += ["--report", tmp_path / "r.json"]
    assert main([str(one) for one in argv]) == 0
    report = json.loads((tmp_path / "r.json").read_text())
    assert (report["version"], report["changed"]) == (2, True)
    assert report["temperature"] == pytest.approx(expected.value, rel=1e-5)
    assert report["calibration"]["log_loss"]["after"] == pytest.approx(expected.log_loss, rel=1e-9)
    assert local.load(tmp_path / "m").spec.temperature == report["temperature"]
    assert f"log loss     {expected.log_loss_before:.4f} to {expected.log_loss:.4f}" in capsys.readouterr().out


def test_documents_that_were_learned_are_refused_whatever_their_order(tmp_path):
    known = corpus(1)
    local.train(SPEC, known, tmp_path / "m")
    backwards = {name: values[::-1] for name, values in known.items()}
    with pytest.raises(StoreError, match="has learned them as batch '1', and is surer of them"):
        ModelStore(tmp_path / "m").calibrate(backwards)
    assert ModelStore(tmp_path / "m").version().version == 1


def test_a_bias_of_classes_that_was_fitted_with_another_temperature_is_dropped(tmp_path):
    local.train(SPEC, corpus(1), tmp_path / "m")
    ModelStore(tmp_path / "m").set_options(class_bias={"t0": 2.0})
    ModelStore(tmp_path / "m").calibrate(corpus(3))
    spec = ModelStore(tmp_path / "m").load().spec
    assert spec.class_bias is None
    assert spec.temperature > 1
