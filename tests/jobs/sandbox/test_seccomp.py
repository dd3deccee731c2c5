from __future__ import annotations

import errno

import pytest
from sandbox_parts import decide

from jobs.sandbox.seccomp import MACHINES, program

ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS, NOFAMILY = (0x50000 | number for number in (errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT))
BOTH = pytest.mark.parametrize("machine", sorted(MACHINES))


@BOTH
def test_each_listed_call_gets_its_answer(machine: str) -> None:
    known, bpf = MACHINES[machine], program(machine)
    answers = {n: decide(bpf, number, architecture=known.audit) for n, number in (known.refused | known.absent).items()}
    assert answers == {**dict.fromkeys(known.refused, EPERM), **dict.fromkeys(known.absent, ENOSYS)}


@BOTH
def test_calls_that_programs_live_on_are_allowed(machine: str) -> None:
    known, bpf = MACHINES[machine], program(machine)
    touched = {*known.refused.values(), *known.absent.values(), *known.calls.values()}
    untouched = set(range(450)) - touched
    assert {decide(bpf, number, (1, 2, 3), architecture=known.audit) for number in untouched} == {ALLOW}


@BOTH
def test_another_architecture_ends_the_process(machine: str) -> None:
    assert decide(program(machine), 1, architecture=0x40000003) == KILL


def test_the_x32_calls_end_the_process() -> None:
    assert decide(program("x86_64"), 0x40000000 | 59) == KILL


@BOTH
@pytest.mark.parametrize(
    "flag", [0x80, 0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]
)
def test_clone_makes_no_name_space(machine: str, flag: int) -> None:
    known = MACHINES[machine]
    assert decide(program(machine), known.calls["clone"], (flag | 17,), architecture=known.audit) == EPERM


@BOTH
def test_clone_makes_processes_and_threads(machine: str) -> None:
    known, bpf = MACHINES[machine], program(machine)
    for flags in (17, 0x003D0F00, 0x01200011):  # fork, a thread, vfork and friends
        assert decide(bpf, known.calls["clone"], (flags,), architecture=known.audit) == ALLOW


@BOTH
@pytest.mark.parametrize(
    ("request_number", "answer"),
    [(0x5412, EPERM), (0x541C, EPERM), (0x5412 | 1 << 32, EPERM), (0x5413, ALLOW), (0x5401, ALLOW)],
)
def test_nothing_is_typed_into_a_terminal(machine: str, request_number: int, answer: int) -> None:
    known = MACHINES[machine]
    assert decide(program(machine), known.calls["ioctl"], (0, request_number), architecture=known.audit) == answer


@BOTH
@pytest.mark.parametrize("call", ["socket", "socketpair"])
@pytest.mark.parametrize(
    ("family", "protocol", "answer"),
    [
        *((family, 0, ALLOW) for family in (0, 1, 2, 10)),
        (16, 0, ALLOW),
        (16, 9, NOFAMILY),  # audit
        (16, 15, NOFAMILY),  # kernel events
        *((family, 0, NOFAMILY) for family in (3, 17, 29, 31, 38, 40, 44)),
    ],
)
def test_only_plain_sockets_are_made(machine: str, call: str, family: int, protocol: int, answer: int) -> None:
    known = MACHINES[machine]
    arguments = (family, 1, protocol)
    assert decide(program(machine), known.calls[call], arguments, architecture=known.audit) == answer


def test_unknown_machines_have_no_filter() -> None:
    with pytest.raises(KeyError):
        program("mips")
