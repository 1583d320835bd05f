from __future__ import annotations

from collections.abc import Iterator

import pytest
from collector import Collector


@pytest.fixture
def collector() -> Iterator[Collector]:
    with Collector() as running:
        yield running
