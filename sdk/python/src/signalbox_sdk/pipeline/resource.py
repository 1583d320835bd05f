from __future__ import annotations

import os
import platform
import uuid

from opentelemetry.sdk.resources import Resource

from .._version import SCOPE_NAME, __version__
from ..config import Config

_instance: dict[int, str] = {}
"""By process: the child of a fork counts from zero, so it is an instance of its own."""


def resource_of(config: Config, service_name: str) -> Resource:
    """Who sends: the application's own names win over what we know of the process."""
    version = {"service.version": config.service_version} if config.service_version else {}
    return Resource(
        {
            "service.instance.id": _instance.setdefault(os.getpid(), str(uuid.uuid4())),
            "telemetry.sdk.language": "python",
            "telemetry.sdk.name": SCOPE_NAME,
            "telemetry.sdk.version": __version__,
            "process.runtime.version": platform.python_version(),
            **config.resource,
            "service.name": service_name,
            **version,
        }
    )
