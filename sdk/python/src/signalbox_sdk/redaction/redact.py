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
    start = position = 0
    while match := detector.pattern.search(text, position):
        if not detector.accepts(match.group()):
            # A part of it may be what the whole is not.
            position = match.start() + 1
            continue
        parts += [text[start : match.start() + detector.keeps(match)], f"[redacted:{detector.name}]"]
        start = position = match.end()
    return "".join(parts) + text[start:]
