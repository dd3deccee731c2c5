import datetime

import pytest
from rota.team import Person, days_away

D = datetime.date


def test_absences():
    ann = Person("Ann")
    ann.takes_off(D(2024, 7, 1), D(2024, 7, 5))
    ann.takes_off(D(2024, 12, 30), D(2025, 1, 3))
    assert not ann.is_there(D(2024, 7, 5))
    assert ann.is_there(D(2024, 7, 6))
    assert (days_away(ann, 2024), days_away(ann, 2025)) == (7, 3)


def test_an_absence_backwards():
    with pytest.raises(ValueError):
        Person("Ann").takes_off(D(2024, 7, 5), D(2024, 7, 1))
