"""An agent that uses Langfuse's SDK in any version, configured only with host and keys."""

from langfuse import get_client

langfuse = get_client()
assert langfuse.auth_check()
with langfuse.start_as_current_observation(name="agent", as_type="agent"):
    langfuse.start_observation(
        name="answer", as_type="generation", model="gpt-5", usage_details={"input": 10, "output": 5}
    ).end()
    langfuse.score_current_trace(name="helpful", value=0.9, comment="good")
    langfuse.score_current_span(name="ok", value=1, data_type="BOOLEAN")
langfuse.create_score(name="of session", value=1.0, session_id="s1")
langfuse.flush()
