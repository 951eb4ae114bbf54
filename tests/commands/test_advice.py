"""What is said of texts whose terms do not fit a model."""

from __future__ import annotations

import pytest

from nbspark.commands.advice import is_unspaced, warning_of_unknown, warnings_of_unspaced
from nbspark.features import Text
from nbspark.spec import Spec

CHINESE = "今天酒店的服务很好,房间也很干净"
THAI = "วันนี้โรงแรมให้บริการดีมากและห้องสะอาดมาก"
JAPANESE = "今日のホテルのサービスはとても良かったです"


@pytest.mark.parametrize("text", [CHINESE, THAI, JAPANESE, f"{CHINESE} wifi 5"])
def test_scripts_without_blanks_are_seen(text: str) -> None:
    assert is_unspaced([None, "", text])


@pytest.mark.parametrize(
    "text",
    [
        "shares rose today",
        "호텔 서비스가 좋았습니다",
        "酒店 的 服务 很 好",
        "ห้อง สะอาด มาก",
        f"a long text that quotes {CHINESE}",
        "",
    ],
)
def test_texts_with_blanks_are_left_alone(text: str) -> None:
    assert not is_unspaced([text])


def test_the_options_that_help_are_named_for_the_script() -> None:
    spec = Spec(label="topic", features=[Text("body"), Text("title", tokens="chars"), Text("note")])
    [found] = warnings_of_unspaced(spec, {"body": [CHINESE], "title": [CHINESE], "note": ["fine"]})
    assert "the texts in 'body' are of a script without blanks" in found
    assert "--tokens chinese, or --tokens chars" in found
    [found] = warnings_of_unspaced(spec, {"note": [THAI]})
    assert "chinese" not in found


def test_more_than_a_third_of_unknown_terms_is_worth_a_warning() -> None:
    spec = Spec(label="topic", features=[Text("body")])
    assert warning_of_unknown(spec, 9, 6) is None
    found = warning_of_unknown(spec, 9, 5)
    assert found is not None
    assert found.startswith("44% of the terms are unknown to the model")
    assert 'tokens="chinese" or tokens="chars"' in found
    assert warning_of_unknown(spec, 0, 0) is None
