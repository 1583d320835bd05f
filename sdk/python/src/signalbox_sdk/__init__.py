"""Makes an MCP server, or client, observable in one line; see the README for the manual."""

from ._version import __version__
from .instrument import Handle, instrument, instrument_client
from .options import Capture, Options, Stats

__all__ = ["Capture", "Handle", "Options", "Stats", "__version__", "instrument", "instrument_client"]
