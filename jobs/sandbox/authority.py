"""A certificate authority of one set-up: it speaks for hosts whose credentials must never come inside."""

from __future__ import annotations

import datetime
import os
import ssl
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_LASTS = datetime.timedelta(days=1)


class Authority:
    """Its key is in this process alone, for as long as it runs. `certificate` is what a cell must trust."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("Patchwright set-up")
        limits = x509.BasicConstraints(ca=True, path_length=0)
        self._own = _signed(self._name, self._name, self._key, self._key, [(limits, True)])
        self.context = cache(self._context)

    @property
    def certificate(self) -> bytes:
        """PEM."""
        return self._own.public_bytes(serialization.Encoding.PEM)

    def _context(self, host: str) -> ssl.SSLContext:
        """What speaks TLS as `host`, HTTP/1.1 only."""
        key = ec.generate_private_key(ec.SECP256R1())
        named = x509.SubjectAlternativeName([x509.DNSName(host)])
        serves = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        made = _signed(_name(host[:64]), self._name, key, self._key, [(named, False), (serves, False)])
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        memory = os.memfd_create("certificate", os.MFD_CLOEXEC)  # the library reads files only
        try:
            os.write(memory, private + made.public_bytes(serialization.Encoding.PEM))
            context.load_cert_chain(f"/proc/self/fd/{memory}")
        finally:
            os.close(memory)
        return context


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _signed(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    by: ec.EllipticCurvePrivateKey,
    extensions: list[tuple[x509.ExtensionType, bool]],
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - _LASTS).not_valid_after(now + _LASTS)
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical=critical)
    identity = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    issued = x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key())
    builder = builder.add_extension(identity, critical=False).add_extension(issued, critical=False)
    return builder.sign(by, hashes.SHA256())
