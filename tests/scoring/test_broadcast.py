"""What a worker keeps from one task to the next."""

from __future__ import annotations

from nbspark import Text
from nbspark.scoring.broadcast import once_a_worker
from nbspark.spec import Spec
from tests.builders import trained


def scorer():
    return trained(Spec("y", (Text("t"),)), ["a", "b"], ["win", "lunch"])


def test_later_tasks_of_a_frame_use_the_scorer_of_the_first_one():
    first, second = scorer(), scorer()
    assert once_a_worker("frame", first) is first
    assert once_a_worker("frame", second) is first


def test_a_frame_never_gets_the_scorer_of_another():
    first, second, third = scorer(), scorer(), scorer()
    assert once_a_worker("one", first) is first
    assert once_a_worker("other", second) is second
    assert once_a_worker("one", third) is third  # the first was forgotten: one scorer at a time is in memory
