from __future__ import annotations

import threading

from ..config import Config
from .application_pipeline import ApplicationPipeline, has_tracer_provider
from .own_pipeline import OwnPipeline
from .pipeline import Pipeline

_own: dict[tuple[object, ...], OwnPipeline] = {}
_lock = threading.RLock()


def choose_pipeline(config: Config, service_name: str) -> Pipeline:
    """The application's providers if it has any; else our own, one for all that send to the same place by the same name."""
    if config.pipeline == "auto" and has_tracer_provider():
        return ApplicationPipeline()
    headers = tuple(sorted(config.headers.items()))
    key = (config.traces_url, config.metrics_url, headers, service_name, config.service_version)
    with _lock:
        if key not in _own:
            _own[key] = OwnPipeline(config, service_name)
        return _own[key]
