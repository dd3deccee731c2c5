import datetime

from rota.workdays import is_workday, next_workday, workdays

D = datetime.date


def test_weekends_are_free():
    assert is_workday(D(2024, 5, 3))
    assert not is_workday(D(2024, 5, 4))


def test_fixed_holidays_are_free():
    assert not is_workday(D(2024, 5, 1))
    assert not is_workday(D(2024, 12, 25))


def test_easter_of_2024():
    assert [day.day for day in workdays(D(2024, 3, 25), D(2024, 4, 5))] == [25, 26, 27, 28, 2, 3, 4, 5]


def test_next_workday():
    assert next_workday(D(2024, 4, 30)) == D(2024, 5, 2)
