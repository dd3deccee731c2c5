from __future__ import annotations

from jobs.agent.tools.texts import MOST, MOST_EACH, Texts


def test_the_last_bytes_of_a_file_are_kept_and_that_it_is_gone_too() -> None:
    texts = Texts()
    texts.keep("a", b"1")
    texts.keep("a", b"2")
    texts.keep("b", None)
    assert (texts.of("a"), texts.known("b"), texts.of("b"), texts.known("c")) == (b"2", True, None, False)


def test_a_large_file_is_lost_not_remembered_as_it_was() -> None:
    texts = Texts()
    texts.keep("a", b"small")
    texts.keep("a", b"x" * (MOST_EACH + 1))
    assert (texts.known("a"), texts.lost("a"), texts.lost("b")) == (False, True, False)


def test_the_oldest_go_when_all_together_are_too_large() -> None:
    texts = Texts()
    many = MOST // MOST_EACH
    for number in range(many + 2):
        texts.keep(str(number), b"x" * MOST_EACH)
    assert [texts.known(str(n)) for n in (0, 1, 2, many + 1)] == [False, False, True, True]
    assert texts.lost("0")
