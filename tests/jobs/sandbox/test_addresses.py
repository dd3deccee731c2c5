from __future__ import annotations

import pytest

from jobs.sandbox.addresses import refused


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.9.9.9", "168.63.129.16",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
        "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::7f00:1",
        "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1",
        "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "ff02::1",
        "", "localhost", "1.2.3", "0x7f.1", "2130706433",
    ],
)  # fmt: skip
def test_inner_addresses_are_refused(address: str) -> None:
    assert refused(address)


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "151.101.0.223", "172.32.0.1", "203.0.113.80", "2606:4700::1111", "100.128.0.1"]
)
def test_outer_addresses_are_not(address: str) -> None:
    assert not refused(address)
