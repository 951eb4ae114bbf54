"""Labels that look alike: apart in every table, and named in a warning."""

from __future__ import annotations

import pytest

from nbspark.evaluation import measure, render
from nbspark.evaluation.labels import display_names, look_alikes, warning_of
from tests.evaluation.test_evaluation import metrics_of, table_of

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"
ALIKE = ["spam", "spam ", " spam", "Spam", "spam\u200b", COMPOSED, DECOMPOSED, "ham"]


def test_labels_that_look_alike_are_grouped_and_others_are_not() -> None:
    assert look_alikes(ALIKE) == [[" spam", "Spam", "spam", "spam ", "spam\u200b"], [DECOMPOSED, COMPOSED]]
    assert look_alikes(["01", "1", "1.0", "a b", "ab"]) == []


@pytest.mark.parametrize(
    "labels", [ALIKE, ["", " ", "  ", "\t"], ["x" * 50 + "a", "x" * 50 + "b"], ["(none)", "'a '", "a "]]
)
def test_no_two_labels_look_the_same_in_a_table(labels: list[str]) -> None:
    printed = render(metrics_of([(label, label, None) for label in labels])).splitlines()
    first = next(i for i, line in enumerate(printed) if line.startswith("label"))
    shown = [line.split("  ")[0] for line in printed[first + 1 : first + 1 + len(labels)]]
    assert len(set(shown)) == len(labels)
    assert all(name == name.strip() for name in shown)


def test_a_label_that_is_clear_is_shown_as_it_is() -> None:
    assert display_names(["ham", "spam", "a b"]) == {"ham": "ham", "spam": "spam", "a b": "a b"}
    assert display_names(["spam", "spam "]) == {"spam": "spam", "spam ": "'spam '"}


def test_the_warning_quotes_the_labels_and_counts_their_documents() -> None:
    found = warning_of({"spam": 1200, "spam ": 3, COMPOSED: 2, DECOMPOSED: 1, "ham": 5})
    assert found is not None
    assert "'cafe\\u0301' 1, 'caf\\xe9' 2; 'spam' 1,200, 'spam ' 3." in found
    assert warning_of({"spam": 1, "ham": 2}) is None


def test_labels_that_look_alike_are_counted_apart() -> None:
    found = measure(table_of([("spam", "spam ", None), ("spam ", "spam ", None)]))
    assert {one.label: (one.support, one.n_predicted) for one in found.classes} == {"spam": (1, 0), "spam ": (1, 2)}
