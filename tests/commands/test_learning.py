"""What the arguments of train say to learn, without a spec file."""

from __future__ import annotations

from fractions import Fraction

import pytest

from nbspark.commands.arguments import Parser
from nbspark.commands.learning import add_spec, share, spec_of
from nbspark.errors import SpecError
from nbspark.features import Categorical, Numeric, Text
from nbspark.spec import Spec


def spec(*argv: str) -> Spec:
    """Return the spec of some arguments."""
    parser = Parser()
    parser.add_argument("--format")
    add_spec(parser)
    return spec_of(parser.parse_args(argv))


def test_columns_and_the_usual_options_need_no_file() -> None:
    words = ["--label", "topic", "--text", "title", "--text", "body", "--ngrams", "1-2", "--event", "bernoulli"]
    found = spec(*words, "--categorical", "dkim", "--numeric", "length", "--alpha", "0.5", "--tokens", "chars_wb")
    of_texts = {"ngrams": (1, 2), "event": "bernoulli", "tokens": "chars_wb"}
    features = [Text("title", **of_texts), Text("body", **of_texts), Categorical("dkim"), Numeric("length")]
    assert found == Spec(label="topic", features=features, alpha=0.5)


def test_defaults_are_those_of_the_spec() -> None:
    assert spec("--label", "topic", "--text", "body") == Spec(label="topic", features=[Text("body")])
    assert spec("--label", "topic", "--numeric", "n") == Spec(label="topic", features=[Numeric("n")])


def test_folders_have_their_columns() -> None:
    assert spec("--format", "folders") == Spec(label="label", features=[Text("text")])
    assert spec("--format", "folders", "--categorical", "path").columns() == ["path"]


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (["--text", "body"], "say what to learn: either --spec FILE, or --label COLUMN and one or more of"),
        (["--label", "topic", "--alpha", "1"], "say what to learn"),
        (["--label", "topic", "--numeric", "n", "--ngrams", "2"], "--ngrams: for --text only"),
        (["--label", "topic", "--text", "body", "--event", "poisson"], "event='poisson' is not one of"),
        (["--label", "topic", "--text", "body", "--alpha", "much"], "alpha"),
        (["--spec", "x.toml", "--alpha", "0.5", "--text", "body"], "so --text, --alpha cannot be given beside it"),
    ],
)
def test_what_does_not_make_a_spec_is_refused(argv: list[str], told: str) -> None:
    with pytest.raises(SpecError, match=told):
        spec(*argv)


def test_a_share_is_taken_as_it_is_written() -> None:
    assert [share("0.2"), share("1/3")] == [Fraction(1, 5), Fraction(1, 3)]
