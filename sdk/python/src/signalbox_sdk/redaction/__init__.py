"""The platform's detectors of what is private; ``contract/redaction-vectors.json`` holds both to the same results."""

from .redact import redact

__all__ = ["redact"]
