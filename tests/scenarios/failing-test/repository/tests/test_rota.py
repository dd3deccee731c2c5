import datetime

import pytest
from rota.rota import NobodyThere, plan, render, tally
from rota.team import Person

D = datetime.date


def team(*names):
    return [Person(name) for name in names]


def test_everybody_in_turn():
    duties = plan(team("Ann", "Bo"), D(2024, 6, 3), D(2024, 6, 6))
    assert [duty.name for duty in duties] == ["Ann", "Bo", "Ann", "Bo"]
    assert tally(duties) == {"Ann": 2, "Bo": 2}


def test_who_is_away_has_no_duty():
    ann, bo = team("Ann", "Bo")
    ann.takes_off(D(2024, 6, 3), D(2024, 6, 4))
    assert [duty.name for duty in plan([ann, bo], D(2024, 6, 3), D(2024, 6, 5))] == ["Bo", "Bo", "Ann"]


def test_nobody_there():
    (ann,) = team("Ann")
    ann.takes_off(D(2024, 6, 3))
    with pytest.raises(NobodyThere, match="2024-06-03"):
        plan([ann], D(2024, 6, 3), D(2024, 6, 3))


def test_easter_week_of_2025():
    duties = plan(team("Ann", "Bo"), D(2025, 4, 17), D(2025, 4, 23))
    assert render(duties).splitlines() == [
        "Thu 2025-04-17  Ann",
        "Tue 2025-04-22  Bo",
        "Wed 2025-04-23  Ann",
    ]
