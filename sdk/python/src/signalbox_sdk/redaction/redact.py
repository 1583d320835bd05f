from __future__ import annotations

from .detectors import DETECTORS, Detector


def redact(text: str) -> str:
    """Replaces what the detectors find by ``[redacted:<detector>]``."""
    for detector in DETECTORS:
        if detector.may_hold(text):
            text = _replace_matches(text, detector)
    return text


def _replace_matches(text: str, detector: Detector) -> str:
    parts: list[str] = []
    start = 0
    while found := detector.find(text, start):
        begin, end, kept = found
        parts += [text[start : begin + kept], f"[redacted:{detector.name}]"]
        start = end
    return "".join(parts) + text[start:]
