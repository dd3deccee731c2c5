"""Which addresses set-up may never reach, whatever a name resolves to. Pure."""

from __future__ import annotations

import ipaddress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# By list, not by `is_private`: that one moves between Python versions and counts ranges that only documentation
# uses, which some networks do serve their package mirrors from.
REFUSED: tuple[Network, ...] = tuple(
    ipaddress.ip_network(text)
    for text in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carriers' own (and one cloud's metadata)
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # one cloud's wire server
        "169.254.0.0/16",  # link-local, most clouds' metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments (one cloud's metadata)
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks of networks
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
        "::/128",
        "::1/128",  # loopback
        "64:ff9b::/96",  # translated IPv4: the inner address would escape this list
        "64:ff9b:1::/48",
        "100::/64",  # discard
        "2001::/32",  # Teredo, embeds IPv4
        "2002::/16",  # 6to4, embeds IPv4
        "fc00::/7",  # unique local
        "fe80::/10",  # link-local
        "fec0::/10",  # site-local
        "ff00::/8",  # multicast
    )
)


def refused(text: str, networks: tuple[Network, ...] = REFUSED) -> bool:
    """True if the address `text` lies in one of `networks`; an IPv4 address in IPv6 clothes counts as itself, and
    what is no address is refused."""
    try:
        address: Address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return True
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            address = address.ipv4_mapped
        elif int(address) < 1 << 32 and int(address) > 1:  # the old IPv4-compatible form
            address = ipaddress.IPv4Address(int(address))
    return any(address in network for network in networks if network.version == address.version)
