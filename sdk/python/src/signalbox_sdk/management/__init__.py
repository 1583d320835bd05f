"""The platform's API, typed from its OpenAPI document: ``create_client(base_url, key).agents_list()``."""

from __future__ import annotations

from . import api
from .api import Client
from .transport import ApiProblem


def create_client(base_url: str, key: str | None, *, timeout_s: float = 30.0, patient: bool = False) -> Client:
    """A client of the instance at ``base_url``, with a platform key or an access token; None for what is public.

    With ``patient``, requests that the instance puts off are sent again, at most five times.
    """
    return Client(base_url, key, timeout_s, patient)


__all__ = ["ApiProblem", "Client", "api", "create_client"]
