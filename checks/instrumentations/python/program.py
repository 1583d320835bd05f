"""Makes nine model calls and a tool call, reported by one of the instrumentations: `program.py openinference`."""

import json
import os
import sys
import threading
import urllib.request
from contextlib import contextmanager, nullcontext

kind = sys.argv[1]
GPT, CLAUDE, EMBEDDING = "gpt-5.6-sol", "claude-opus-5", "text-embedding-3-small"
SESSION, USER = os.environ["PROGRAM_SESSION"], os.environ["PROGRAM_USER"]
headers = json.loads(os.environ.get("PROGRAM_HEADERS", "{}"))
if os.environ.get("PROGRAM_HTTP_SPANS"):
    from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor

    HTTPXClientInstrumentor().instrument()


def plain_tracing():
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return trace.get_tracer("program"), provider.shutdown


agent, finish = nullcontext, lambda: None


def tool(call_id, arguments):
    return nullcontext()


if kind == "openinference":
    from openinference.instrumentation import get_attributes_from_context, using_attributes
    from openinference.instrumentation.anthropic import AnthropicInstrumentor
    from openinference.instrumentation.openai import OpenAIInstrumentor

    tracer, finish = plain_tracing()
    OpenAIInstrumentor().instrument()
    AnthropicInstrumentor().instrument()

    @contextmanager
    def agent():
        with using_attributes(session_id=SESSION, user_id=USER):
            marks = {"openinference.span.kind": "AGENT", "agent.name": "planner"}
            with tracer.start_as_current_span("planner", attributes=marks):
                yield

    def tool(call_id, arguments):
        marks = {"openinference.span.kind": "TOOL", "tool.name": "weather", "input.value": arguments}
        marks |= dict(get_attributes_from_context())
        return tracer.start_as_current_span("weather", attributes=marks)


if kind in ("langfuse3", "langfuse5"):
    import langfuse
    from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor

    client = langfuse.get_client()
    AnthropicInstrumentor().instrument()
    finish = client.shutdown

    @contextmanager
    def agent():
        if kind == "langfuse5":
            start = client.start_as_current_observation
            names = langfuse.propagate_attributes(session_id=SESSION, user_id=USER)
        else:
            start, names = client.start_as_current_observation, nullcontext()
        with start(name="planner", as_type="agent"), names:
            if kind == "langfuse3":
                client.update_current_trace(session_id=SESSION, user_id=USER)
            yield

    def tool(call_id, arguments):
        given = json.loads(arguments)
        return client.start_as_current_observation(name="weather", as_type="tool", input=given)


if kind == "logfire":
    import logfire

    logfire.configure(send_to_logfire=False, console=False, add_baggage_to_attributes=True)
    logfire.instrument_openai()
    logfire.instrument_anthropic()
    finish = logfire.shutdown

    @contextmanager
    def agent():
        # Logfire treats attributes named `session` as secrets.
        with logfire.set_baggage(**{"gen_ai.conversation.id": SESSION, "user.id": USER}):
            marks = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner"}
            with logfire.span("invoke_agent planner", **marks):
                yield

    def tool(call_id, arguments):
        marks = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"}
        marks |= {"gen_ai.tool.call.id": call_id, "gen_ai.tool.call.arguments": arguments}
        return logfire.span("execute_tool weather", **marks)


if kind == "traceloop":
    from traceloop.sdk import Traceloop
    from traceloop.sdk.decorators import agent as an_agent
    from traceloop.sdk.decorators import tool as a_tool

    Traceloop.init(app_name="program", disable_batch=True, telemetry_enabled=False)


if kind == "openlit":
    import openlit
    from opentelemetry import trace

    openlit.init(application_name="program", environment="test", disable_metrics=True)
    finish = lambda: trace.get_tracer_provider().force_flush()

from openai import OpenAI

if kind != "agents":
    from anthropic import Anthropic

if kind.startswith("langfuse"):
    from langfuse.openai import OpenAI

openai = OpenAI(base_url=os.environ["OPENAI_BASE_URL"], default_headers=headers)
if kind != "agents":
    anthropic = Anthropic(base_url=os.environ["ANTHROPIC_BASE_URL"], default_headers=headers)


def post(session, body):
    more = {"mcp-session-id": session} if session else {}
    request = urllib.request.Request(
        os.environ["MCP_URL"],
        data=json.dumps({"jsonrpc": "2.0"} | body).encode(),
        headers={
            "authorization": "Bearer " + os.environ["MCP_KEY"],
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2025-06-18",
        }
        | more,
    )
    with urllib.request.urlopen(request) as answer:
        answer.read()
        return answer.headers.get("mcp-session-id")


def run_tool(arguments):
    if not os.environ.get("MCP_URL"):
        return
    info = {"name": "program", "version": "1.0.0"}
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
    session = post(None, {"id": 1, "method": "initialize", "params": begin})
    post(session, {"method": "notifications/initialized"})
    called = {"name": "weather", "arguments": json.loads(arguments)}
    post(session, {"id": 2, "method": "tools/call", "params": called})


def tell(call_id, arguments):
    with tool(call_id, arguments):
        run_tool(arguments)


if kind == "traceloop":

    @a_tool(name="weather")
    def weather(city):
        run_tool(json.dumps({"city": city}))

    def tell(call_id, arguments):
        weather(**json.loads(arguments))


def ask(messages, **more):
    return openai.chat.completions.create(model=GPT, messages=messages, **more)


def work():
    question = [{"role": "user", "content": "What is the weather in Paris?"}]
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
    message = ask(question, tools=tools).choices[0].message
    call = message.tool_calls[0]
    tell(call.id, call.function.arguments)
    result = {"role": "tool", "tool_call_id": call.id, "content": "It is sunny in Paris."}
    ask([*question, message.model_dump(exclude_none=True), result], tools=tools)
    for _ in ask(question, stream=True, stream_options={"include_usage": True}):
        pass
    in_parallel(lambda: ask(question), lambda: ask(question))
    openai.responses.create(model=GPT, input="What is the weather in Paris?")
    openai.embeddings.create(model=EMBEDDING, input="weather")
    anthropic.messages.create(model=CLAUDE, max_tokens=100, messages=question)
    with anthropic.messages.stream(model=CLAUDE, max_tokens=100, messages=question) as stream:
        for _ in stream:
            pass


def in_parallel(*tasks):
    import contextvars

    threads = [threading.Thread(target=contextvars.copy_context().run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if kind == "agents":
    import asyncio

    from agents import Agent, Runner, function_tool, trace
    from openinference.instrumentation import using_attributes
    from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

    _, finish = plain_tracing()
    OpenAIAgentsInstrumentor().instrument()

    @function_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        run_tool(json.dumps({"city": city}))
        return "It is sunny in Paris."

    def work():
        planner = Agent(name="planner", model=GPT, tools=[weather])
        plain = Agent(name="planner", model=GPT)

        async def all():
            await Runner.run(planner, "What is the weather in Paris?")
            streamed = Runner.run_streamed(plain, "What is the weather in Paris?")
            async for _ in streamed.stream_events():
                pass
            await asyncio.gather(*(Runner.run(plain, "What is the weather in Paris?") for _ in range(2)))

        with using_attributes(session_id=SESSION, user_id=USER), trace("planning", group_id=SESSION):
            asyncio.run(all())


if kind == "traceloop":

    @an_agent(name="planner")
    def planner():
        Traceloop.set_association_properties({"session_id": SESSION, "user_id": USER})
        work()

    planner()
else:
    with agent():
        work()
finish()
