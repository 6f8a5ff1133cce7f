"""A Dask scheduler: its address, and the certificates of the connection."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from penstock.core.errors import InputError
from penstock.core.reading import require_regular

if TYPE_CHECKING:
    from distributed import Security

ADDRESS = "--cluster"
CA_FILE, CERTIFICATE, KEY = "--tls-ca-file", "--tls-cert", "--tls-key"
"""The options for TLS files, of the command and of Dask's own."""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """A Dask scheduler and its address: ``tcp://host:8786``, or ``tls://host:8786`` with TLS.

    Anyone who can reach a scheduler can run code on its workers, as their user; over ``tls://`` this needs a
    certificate. Without files here, those of Dask's own configuration are used.

    Attributes:
        address: the address, as the scheduler prints it.
        tls_ca_file: the certificate of the authority that signed those of the scheduler, the workers and ours.
        tls_cert: our certificate.
        tls_key: its private key, not encrypted; may be in the same file as the certificate.

    All files are PEM.
    """

    address: str
    tls_ca_file: str | Path | None = None
    tls_cert: str | Path | None = None
    tls_key: str | Path | None = None

    def security(self) -> Security:
        """The security arguments of Dask. Raises :class:`InputError` for invalid files."""
        from distributed import Security

        files = {CA_FILE: self.tls_ca_file, CERTIFICATE: self.tls_cert, KEY: self.tls_key}
        given = {option: str(file) for option, file in files.items() if file is not None}
        has_tls = self.address.startswith("tls://")
        if given and not has_tls:
            option, file = next(iter(given.items()))
            raise InputError(
                f"{ADDRESS} {self.address} is not an address with TLS",
                path=option,
                value=file,
                remedy="write tls://host:8786",
            )
        security = Security()
        if given:
            names = {"tls_ca_file": CA_FILE, "tls_client_cert": CERTIFICATE, "tls_client_key": KEY}
            own = {name: given.get(option) for name, option in names.items()}
            security = Security(require_encryption=True, **own)
        if has_tls:
            _check(self.address, security)
        return security


def _check(address: str, security: Security) -> None:
    """Check that the files exist and are valid, before Dask fails on them or asks for a password."""
    authority, certificate, key = security.tls_ca_file, security.tls_client_cert, security.tls_client_key
    for option, file in ((CA_FILE, authority), (CERTIFICATE, certificate)):
        if not file:
            remedy = f"give {CA_FILE}, {CERTIFICATE} and {KEY}, or set them in Dask's configuration"
            raise InputError(f"TLS needs {option}", path=ADDRESS, value=address, remedy=remedy)
    if any("\n" in file for file in (authority, certificate, key or "")):
        return  # Dask's configuration has the text itself
    for option, file in ((CA_FILE, authority), (CERTIFICATE, certificate), (KEY, key)):
        if file is not None:
            _check_readable(option, file)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(cafile=authority)
    except (ssl.SSLError, OSError) as error:
        raise _unfit(CA_FILE, authority, error, "name the PEM file of the authority's certificate") from None

    def refuse() -> NoReturn:
        raise InputError("the key is encrypted", path=KEY, value=key or certificate, remedy="give an unencrypted key")

    try:
        context.load_cert_chain(certificate, key, password=refuse)
    except (ssl.SSLError, OSError) as error:
        remedy = f"name the PEM files of a certificate, and of the key that belongs to it, with {CERTIFICATE} and {KEY}"
        raise _unfit(KEY if key else CERTIFICATE, key or certificate, error, remedy) from None


def _check_readable(option: str, file: str) -> None:
    try:
        require_regular(Path(file))
        with Path(file).open("rb"):
            pass
    except (OSError, ValueError) as error:
        raise _unfit(option, file, error, "check its name and your rights") from None


def _unfit(option: str, file: str, error: Exception, remedy: str) -> InputError:
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError(f"this cannot be used: {told}", path=option, value=file, remedy=remedy)
