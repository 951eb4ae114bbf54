"""The spec: round trips, and errors that say where."""

from __future__ import annotations

import pytest

from nbspark import NaiveBayes, Text
from nbspark.errors import SpecError
from nbspark.spec import Spec

FULL = Spec(
    label="topic",
    features=(
        Text("title", name="head", tokens="chars_wb", ngrams=(2, 4), strip_accents="unicode"),
        Text("body", pattern=r"(?u)\b\w\w+\b", lowercase=False, min_length=2, max_length=30, stop_words=("the", "'")),
    ),
    alpha=0.5,
    prior="uniform",
    prior_smoothing=1.0,
)


def test_toml_and_json_give_the_spec_back():
    assert Spec.from_toml(FULL.to_toml()) == FULL
    assert Spec.from_json(FULL.to_json()) == FULL


def test_a_file_of_either_form_gives_the_spec_back(tmp_path):
    (tmp_path / "a.toml").write_text(FULL.to_toml(), encoding="utf-8")
    (tmp_path / "a.json").write_text(FULL.to_json(), encoding="utf-8")
    assert Spec.from_file(tmp_path / "a.toml") == Spec.from_file(tmp_path / "a.json") == FULL


def test_the_class_that_reads_a_spec_is_the_class_that_comes_back():
    assert isinstance(NaiveBayes.from_toml(FULL.to_toml()), NaiveBayes)


def test_a_pattern_sees_the_text_as_it_is_written():
    text = Text("body", pattern=r"\w+")
    assert (text.tokens, text.normalize, text.remove_invisible) == ("pattern", "none", False)


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        ("label = ,", r"model\.toml: not TOML: .*line 1, column"),
        ("label = 'a'", r"no key 'features'"),
        ("label = 'a'\nalhpa = 1\nfeatures = []", r"unknown key 'alhpa' \(did you mean 'alpha'\?\)"),
        ("label = 'a'\nfeatures = []", r"features is empty"),
        ("label = 1\nfeatures = [{kind = 'text', column = 'b'}]", r"label wants a text, found 1"),
        ("label = 'a'\nfeatures = [{column = 'b'}]", r"features\[0\]: wants a table with kind"),
        ("label = 'a'\nfeatures = [{kind = 'text'}]", r"features\[0\]: no key 'column'"),
        ("label = 'a'\nfeatures = [{kind = 'text', column = 'b', ngram = 2}]", r"features\[0\]: unknown key 'ngram'"),
        ("label = 'a'\nfeatures = [{kind = 'text', column = 'b', ngrams = [2, 1]}]", r"shortest <= longest"),
        ("label = 'a'\nfeatures = [{kind = 'text', column = 'b', ngrams = [1, 1001]}]", r"longest <= 1,000, found"),
        ("label = 'a'\nfeatures = [{kind = {}, column = 'b'}]", r"kind = one of \[.*found"),
        ("label = 'a'\nfeatures = [{kind = 'text', column = 'b', ngrams = ['1', 2]}]", r"two whole numbers"),
        ("label = 'a'\nfeatures = [{kind = 'text', column = 'b', pattern = '(a'}]", r"does not parse at position 0"),
        ("label = 'a'\nfeatures = [{kind = 'text', column = 'b', pattern = '(a)(b)'}]", r"has 2 groups"),
        ("label = 'a'\nfeatures = [{kind = 'text', column = 'b', tokens = 'pattern'}]", r"go together"),
        ("label = 'a'\nfeatures = [{kind = 'text', column = 'b', tokens = 'word'}]", r"tokens='word' is not one of"),
        ("label = 'a'\nfeatures = [{kind = 'text', column = 'b', lowercase = 'no'}]", r"lowercase wants true or false"),
        ("label = 'a'\nalpha = -1\nfeatures = [{kind = 'text', column = 'b'}]", r"alpha wants a number > 0, found -1"),
        (
            "label = 'a'\nalpha = nan\nfeatures = [{kind = 'text', column = 'b'}]",
            r"alpha wants a number > 0, found nan",
        ),
        ("label = 'a'\nprior = 'flat'\nfeatures = [{kind = 'text', column = 'b'}]", r"prior='flat' is not one of"),
    ],
)
def test_a_wrong_spec_file_says_what_and_where(tmp_path, toml, told):
    file = tmp_path / "model.toml"
    file.write_text(toml, encoding="utf-8")
    with pytest.raises(SpecError, match=told):
        Spec.from_file(file)


def test_a_spec_file_that_is_not_there_is_named():
    with pytest.raises(SpecError, match=r"'no\.toml' cannot be read"):
        Spec.from_file("no.toml")


def test_one_column_may_serve_two_features_under_two_names():
    with pytest.raises(SpecError, match="named twice"):
        Spec("y", (Text("body"), Text("body", tokens="chars")))
    both = Spec("y", (Text("body"), Text("body", name="letters", tokens="chars")))
    assert both.columns() == ["body"]


def test_stop_words_of_a_language_become_a_list_in_the_model():
    pytest.importorskip("stopwordsiso")
    words = Text("body", stop_words="en").resolved().stop_words
    assert isinstance(words, tuple)
    assert {"the", "of"} <= set(words)
    with pytest.raises(SpecError, match="no language 'xx'"):
        Text("body", stop_words="xx").resolved()
