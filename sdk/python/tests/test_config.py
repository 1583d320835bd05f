from __future__ import annotations

import json
import time
import warnings
from pathlib import Path

import pytest

from pairs import make_server
from pydantic import BaseModel

from signalbox_sdk import instrument
from signalbox_sdk.config import read_config
from signalbox_sdk.observe.bounded_json import bounded_json
from signalbox_sdk.observe.captured_text import captured_text, redacted_message
from signalbox_sdk.observe.ecmascript_json import write_number
from signalbox_sdk.observe.tool_definitions import ToolDefinitions, hash_of, tokens_of
from signalbox_sdk.observe.wire import dumped
from signalbox_sdk.redaction import redact

CONTRACT = Path(__file__).parents[3] / "contract"
VECTORS = json.loads((CONTRACT / "redaction-vectors.json").read_text())
DEFINITIONS = json.loads((Path(__file__).parent / "tool-definition-vectors.json").read_text())


def test_believes_options_before_its_own_variables_those_before_the_standard_ones_and_those_before_the_defaults() -> None:
    standard = {
        "OTEL_SERVICE_NAME": "c",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c",
        "OTEL_EXPORTER_OTLP_HEADERS": "a=1",
    }
    own = {
        "SIGNALBOX_SDK_SERVICE_NAME": "b",
        "SIGNALBOX_SDK_ENDPOINT": "http://b/",
        "SIGNALBOX_SDK_TOKEN": "tb",
    }
    options = {"service_name": "a", "endpoint": "https://a/prefix", "token": "ta"}
    read = [
        read_config(options, {**standard, **own}),
        read_config({}, {**standard, **own}),
        read_config({}, standard),
        read_config({}, {}),
    ]
    assert [(each.service_name, each.traces_url, each.headers) for each in read] == [
        ("a", "https://a/prefix/v1/traces", {"a": "1", "authorization": "Bearer ta"}),
        ("b", "http://b/v1/traces", {"a": "1", "authorization": "Bearer tb"}),
        ("c", "http://c/v1/traces", {"a": "1"}),
        (None, None, {}),
    ]


def test_explains_each_wrong_value_goes_on_with_its_default_and_never_raises() -> None:
    wrong = {"endpoint": "ftp://x", "conventions": "old", "token": 5, "capture": {"max_length": 1}, "endpoit": "x"}
    config = read_config(wrong, {"OTEL_BSP_SCHEDULE_DELAY": "soon"})
    assert (config.traces_url, config.conventions, config.delay_s) == (None, "current", 1)
    assert config.capture.max_length == 8192
    assert len(config.problems) == 6
    assert read_config({"token": "two\nlines"}, {}).headers == {}
    read = read_config({}, {"SIGNALBOX_SDK_DELAY_MS": " 5 ", "SIGNALBOX_SDK_ENDPOINT": " http://x "})
    assert (read.traces_url, read.delay_s, read.problems) == ("http://x/v1/traces", 0.005, ())
    assert len(read_config({}, {"SIGNALBOX_SDK_DELAY_MS": "\u0663", "SIGNALBOX_SDK_ENDPOINT": "http://a b"}).problems) == 2


def test_a_name_in_the_resource_attributes_is_that_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=named%20by%20the%20environment")
    peer = instrument(make_server("low"), endpoint="http://127.0.0.1:1")._peer
    assert peer and peer.pipeline._resource.attributes["service.name"] == "named by the environment"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("option", "words", "expected"),
    [
        (None, "", (False, False)),
        (True, "", (True, True)),
        ({"results": True}, "", (False, True)),
        (None, "arguments", (True, False)),
        (False, "all", (False, False)),
    ],
)
def test_captures_nothing_that_was_not_asked_for(option: object, words: str, expected: tuple[bool, bool]) -> None:
    capture = read_config({"capture": option}, {"SIGNALBOX_SDK_CAPTURE": words}).capture
    assert (capture.arguments, capture.results) == expected


@pytest.mark.parametrize("vector", VECTORS["redacted"], ids=lambda vector: vector["text"][:40])
def test_finds_what_the_platform_finds(vector: dict[str, str]) -> None:
    assert redact(vector["text"]) == vector["result"]


@pytest.mark.parametrize("text", VECTORS["kept"])
def test_leaves_what_the_platform_leaves(text: str) -> None:
    assert redact(text) == text


def test_no_text_takes_many_times_as_long_to_redact_as_another() -> None:
    def cost_of(piece: str) -> float:
        text = piece * (20_000 // len(piece))
        costs = []
        for _ in range(3):
            before = time.process_time()
            redact(text)
            costs.append(time.process_time() - before)
        return min(costs)

    plain = cost_of(" ".join(VECTORS["kept"]))
    assert [piece for piece in VECTORS["hostile"] if cost_of(piece) > 60 * plain] == []


@pytest.mark.parametrize("vector", DEFINITIONS, ids=lambda vector: vector["name"])
def test_hashes_and_measures_definitions_as_the_platform_does(vector: dict[str, object]) -> None:
    tool = vector["tool"]
    assert isinstance(tool, dict)
    assert (hash_of(tool), tokens_of(tool)) == (vector["hash"], vector["tokens"])


def test_notices_a_definition_that_was_changed_in_place() -> None:
    definitions, tools = ToolDefinitions(), [{"name": "echo", "description": "Says it again."}]
    before = definitions.take(tools)
    tools[0]["description"] = "Does something else."
    assert definitions.take(tools)["signalbox.tools.hash"] != before["signalbox.tools.hash"]


def test_warns_of_no_value_that_the_packages_warn_of_themselves() -> None:
    class Model(BaseModel):
        number: int

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dumped(Model.model_construct(number="none")) == {"number": "none"}


def test_writes_numbers_as_javascript_does() -> None:
    numbers = [0.0, -0.0, 1.0, 1.5, 1e21, 1e20, 1.5e-7, 1e-6, 0.00001234, 123456789012345680000, -2.5e-5]
    written = ["0", "0", "1", "1.5", "1e+21", "100000000000000000000", "1.5e-7", "0.000001", "0.00001234"]
    assert [write_number(float(each)) for each in numbers] == [*written, "123456789012345680000", "-0.000025"]


def test_writes_json_and_of_a_long_value_its_beginning_only() -> None:
    value = {"a": [1, "two", None, True], "b": {"d": "x"}}
    assert bounded_json(value, 1000) == json.dumps(value, separators=(",", ":"))
    assert bounded_json([1.0, float("nan"), 2**70, "\ud83d"], 1000) == f'[1,null,{2**70},"\\ud83d"]'
    assert bounded_json({"text": "x" * 10**7}, 20) == f'{{"text":"{"x" * 11}'


def test_keeps_nothing_of_a_secret_that_the_cut_would_halve_and_survives_circles() -> None:
    key = f"sk-ant-api03-{'A' * 100}"
    assert "sk-ant" not in captured_text({"text": "x " * 100 + key}, 230)
    # Redacted texts become shorter, so that the end of what is searched comes into view.
    keys = f"sk-{'a' * 190} " * 200
    for start in ("", "b ", "bc "):
        captured = captured_text(start + keys, 1000)
        assert "aa" not in (captured + redacted_message(start + keys)).replace("[redacted:key]", "")
        assert len(captured) == 1000
    token = f"eyJhbGciOiJIUzI1NiJ9.{'A' * 1500}.{'s' * 43}"
    assert redacted_message(f"invalid token {token}") == "invalid token [redacted:jwt]"
    circle: dict[str, object] = {}
    circle["self"] = circle
    assert len(captured_text(circle, 100)) <= 100
