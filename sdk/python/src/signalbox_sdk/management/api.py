# Made from the contract by `npm run generate`.
# ruff: noqa
from __future__ import annotations

from typing import Any, Literal, cast

from typing_extensions import NotRequired, TypeAlias, TypedDict

from .transport import Transport, part

AccessDifferenceAgent = TypedDict("AccessDifferenceAgent", {"uuid": "str", "name": "str"})
AccessDifferenceServer = TypedDict("AccessDifferenceServer", {"id": "str", "name": "str"})
AccessDifference = TypedDict("AccessDifference", {"agent": "AccessDifferenceAgent", "server": "AccessDifferenceServer", "gained": "list[str]", "lost": "list[str]"})
AccessGrant = TypedDict("AccessGrant", {"id": "str", "server_id": "str", "agent_uuid": "str", "access_mode": "Literal['all', 'selected']", "allowed_tools": "list[str] | None", "allowed_prompts": "list[str] | None", "allowed_resources": "list[str] | None", "enabled": "bool", "expires_at": "str | None", "constraints": "dict[str, Any]", "approval": "dict[str, Literal['ask']]", "approver": "Literal['workspace', 'caller']", "approval_wait_ms": "int | None", "denied_hints": "list[Literal['destructiveHint', 'openWorldHint']]", "call_limits": "dict[str, CallLimits]", "source": "GrantSource", "created_at": "str", "updated_at": "str", "warnings": "list[str]"})
AccessMatrix = TypedDict("AccessMatrix", {"servers": "list[MatrixServer]", "agents": "list[MatrixAgent]", "pagination": "Pagination"})
AccessOfAgent = TypedDict("AccessOfAgent", {"access": "list[GrantOfAgent]", "effective": "list[EffectiveAccess]", "definition_tokens": "int | None"})
AccessRequest = TypedDict("AccessRequest", {"id": "str", "agent": "RequestingAgent", "server": "RequestedServer", "tool": "str | None", "reason": "str", "status": "Literal['pending', 'granted', 'declined']", "requested_by": "Requester", "requested_at": "str", "decided_by": "str | None", "decided_at": "str | None"})
AccessRequestList = TypedDict("AccessRequestList", {"access_requests": "list[AccessRequest]", "pagination": "Pagination"})
AccessSuggestionAgent = TypedDict("AccessSuggestionAgent", {"uuid": "str", "name": "str"})
AccessSuggestionServer = TypedDict("AccessSuggestionServer", {"id": "str", "name": "str"})
AccessSuggestionToolset = TypedDict("AccessSuggestionToolset", {"id": "str", "name": "str"})
AccessSuggestion = TypedDict("AccessSuggestion", {"id": "str", "kind": "Literal['unseen_agent', 'unused_grant', 'all_to_used_tools', 'unused_tools', 'unused_tools_of_toolset']", "state": "Literal['open', 'applied', 'reverted']", "applicable": "bool", "agent": "AccessSuggestionAgent | None", "server": "AccessSuggestionServer | None", "toolset": "AccessSuggestionToolset | None", "changes": "list[SuggestedChange]", "evidence": "SuggestionEvidence", "applied_at": "str | None", "reverted_at": "str | None"})
AccessSuggestionList = TypedDict("AccessSuggestionList", {"suggestions": "list[AccessSuggestion]", "pagination": "Pagination"})
AccessToken = TypedDict("AccessToken", {"token": "NotRequired[str]", "token_type": "Literal['Bearer']", "expires_at": "str"})
Actor = TypedDict("Actor", {"kind": "Literal['user', 'platform_key', 'agent_key', 'ingest_token', 'system']", "id": "str | None", "name": "str"})
Agent = TypedDict("Agent", {"uuid": "str", "id": "str", "name": "str", "description": "str", "status": "Literal['active', 'paused', 'stopped', 'error']", "created_at": "str", "updated_at": "str", "mcp_server_count": "int", "last_seen_at": "str | None", "warnings": "list[str]", "groups": "list[str]", "model_access": "ModelAccess", "call_limits": "CallLimits | None", "tool_listing": "Literal['all', 'search', 'auto']"})
AgentAccess = TypedDict("AgentAccess", {"id": "str", "agent": "AgentSummary", "access_mode": "Literal['all', 'selected']", "allowed_tools": "list[str] | None", "allowed_prompts": "list[str] | None", "allowed_resources": "list[str] | None", "enabled": "bool", "expires_at": "str | None", "constraints": "dict[str, Any]", "approval": "dict[str, Literal['ask']]", "approver": "Literal['workspace', 'caller']", "approval_wait_ms": "int | None", "denied_hints": "list[Literal['destructiveHint', 'openWorldHint']]", "call_limits": "dict[str, CallLimits]", "source": "GrantSource"})
AgentAccessList = TypedDict("AgentAccessList", {"access": "list[AgentAccess]"})
AgentFiguresAgent = TypedDict("AgentFiguresAgent", {"id": "str | None", "name": "str | None"})
AgentFigures = TypedDict("AgentFigures", {"agent": "AgentFiguresAgent", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "NotRequired[dict[str, str]]", "previous": "NotRequired[CallFigures | None]"})
AgentInstall = TypedDict("AgentInstall", {"url": "str", "key_placeholder": "str", "clients": "list[ClientInstall]"})
AgentList = TypedDict("AgentList", {"agents": "list[Agent]", "pagination": "Pagination"})
AgentSummary = TypedDict("AgentSummary", {"uuid": "str", "name": "str", "status": "Literal['active', 'paused', 'stopped', 'error']"})
Alert = TypedDict("Alert", {"id": "str", "kind": "Literal['question', 'server_down', 'definition_changed', 'error_spike', 'spend_spike', 'agent_loop']", "created_at": "str", "updated_at": "str", "name": "str", "question_id": "str | None", "figure": "Literal['calls', 'errors', 'error_rate', 'latency_p50_ms', 'latency_p95_ms', 'latency_p99_ms', 'tokens', 'cost_usd', 'unpriced_calls', 'sessions', 'users'] | None", "condition": "Literal['above', 'below', 'rise', 'fall', 'no_data'] | None", "threshold": "float | None", "for_s": "int", "interval_s": "int", "emails": "list[str]", "enabled": "bool", "muted_until": "str | None", "state": "AlertState"})
AlertDataAlert = TypedDict("AlertDataAlert", {"id": "str", "name": "str"})
AlertData = TypedDict("AlertData", {"alert": "AlertDataAlert", "kind": "Literal['question', 'server_down', 'definition_changed', 'error_spike', 'spend_spike', 'agent_loop']", "status": "Literal['ok', 'firing', 'no_data', 'unknown']", "value": "float | None", "text": "str", "url": "str", "since": "str", "transition_id": "str | None"})
AlertFiring = TypedDict("AlertFiring", {"from": "str", "until": "str | None", "value": "float"})
AlertHistory = TypedDict("AlertHistory", {"transitions": "list[AlertTransition]"})
AlertList = TypedDict("AlertList", {"alerts": "list[Alert]", "pagination": "Pagination"})
AlertPreview = TypedDict("AlertPreview", {"start": "str", "end": "str", "interval_ms": "int", "firings": "list[AlertFiring]", "points": "list[PreviewPoint]"})
AlertState = TypedDict("AlertState", {"status": "Literal['ok', 'firing', 'no_data', 'unknown']", "since": "str", "value": "float | None", "text": "str", "url": "str", "evaluated_at": "str | None", "mail": "Literal['waiting', 'sent', 'failed', 'no_mail_server'] | None"})
AlertTest = TypedDict("AlertTest", {"status": "Literal['ok', 'firing', 'no_data', 'unknown']", "value": "float | None", "text": "str", "url": "str", "mail": "Literal['waiting', 'sent', 'failed', 'no_mail_server'] | None"})
AlertTransition = TypedDict("AlertTransition", {"id": "str", "at": "str", "from": "Literal['ok', 'firing', 'no_data', 'unknown']", "to": "Literal['ok', 'firing', 'no_data', 'unknown']", "value": "float | None", "text": "str", "notified_status": "Literal['firing', 'resolved'] | None"})
AmbiguousCall = TypedDict("AmbiguousCall", {"trace_id": "str", "span_id": "str"})
AmbiguousView = TypedDict("AmbiguousView", {"kind": "Literal['tool_call', 'model_call']", "tool": "str | None", "model": "str | None", "trace_id": "str", "span_id": "str", "name": "str", "service_name": "str | None", "status": "str", "started_at": "str", "may_be": "AmbiguousCall"})
Approval = TypedDict("Approval", {"id": "str", "agent": "AskingAgent", "server": "AskedServer", "tool": "str", "asked_by": "Asker | None", "arguments": "dict[str, Any]", "approver": "Literal['workspace', 'caller']", "status": "Literal['pending', 'approved', 'used', 'denied', 'expired', 'revoked']", "reason": "str | None", "decided_at": "str | None", "decided_by": "Decider | None", "valid_until": "str | None", "for_minutes": "int | None", "used_at": "str | None", "requested_at": "str", "expires_at": "str"})
ApprovalData = TypedDict("ApprovalData", {"id": "str", "agent": "AskingAgent", "server": "AskedServer", "tool": "str", "asked_by": "Asker | None", "status": "Literal['pending', 'approved', 'used', 'denied', 'expired', 'revoked']", "reason": "str | None", "decided_at": "str | None", "decided_by": "Decider | None", "requested_at": "str", "expires_at": "str"})
ApprovalList = TypedDict("ApprovalList", {"approvals": "list[Approval]", "pagination": "Pagination"})
AskedServer = TypedDict("AskedServer", {"id": "str", "name": "str", "slug": "str"})
Asker = TypedDict("Asker", {"credential_id": "str", "name": "str", "user": "PersonOfClient | None"})
AskingAgent = TypedDict("AskingAgent", {"uuid": "str", "name": "str"})
AuditHead = TypedDict("AuditHead", {"seq": "int", "chain": "str"})
AuditList = TypedDict("AuditList", {"audit": "list[AuditRecord]", "next_cursor": "str | None"})
AuditRecord = TypedDict("AuditRecord", {"id": "str", "at": "str", "actor": "Actor", "action": "str", "target": "AuditTarget | None", "detail": "dict[str, Any]", "request_id": "str | None"})
AuditTarget = TypedDict("AuditTarget", {"kind": "str", "id": "str", "name": "str"})
AuditVerification = TypedDict("AuditVerification", {"intact": "bool", "records": "int", "head": "AuditHead", "bad": "BadAuditRecord | None"})
AuthorizationClient = TypedDict("AuthorizationClient", {"id": "str", "name": "str"})
AuthorizationUser = TypedDict("AuthorizationUser", {"id": "str", "email": "str"})
AuthorizationAgent = TypedDict("AuthorizationAgent", {"uuid": "str", "name": "str"})
Authorization = TypedDict("Authorization", {"id": "str", "client": "AuthorizationClient", "user": "AuthorizationUser", "agent": "AuthorizationAgent", "resource": "str", "scopes": "list[str]", "status": "Literal['active', 'revoked', 'expired']", "created_at": "str", "last_used_at": "str | None", "expires_at": "str"})
AuthorizationList = TypedDict("AuthorizationList", {"authorizations": "list[Authorization]", "pagination": "Pagination"})
AwsCredential = TypedDict("AwsCredential", {"access_key_id": "str", "secret_access_key": "str", "region": "str", "session_token": "NotRequired[str]"})
BadAuditRecord = TypedDict("BadAuditRecord", {"seq": "int", "id": "str | None", "reason": "str"})
Budget = TypedDict("Budget", {"id": "str", "scope": "Literal['workspace', 'agent', 'key', 'session', 'user']", "scope_id": "str | None", "unit": "Literal['nano_usd', 'tokens']", "window": "Literal['hour', 'day', 'week', 'month', 'rolling']", "time_zone": "str", "rolling_s": "int | None", "created_at": "str", "updated_at": "str", "name": "str", "limit": "str", "mode": "Literal['hard', 'soft']", "unpriced": "Literal['deny', 'allow', 'ceiling']", "unpriced_ceiling": "str | None", "thresholds": "list[int]", "contact": "str", "enabled": "bool", "state": "BudgetState | None"})
BudgetDataBudget = TypedDict("BudgetDataBudget", {"id": "str", "name": "str"})
BudgetData = TypedDict("BudgetData", {"budget": "BudgetDataBudget", "scope": "Literal['workspace', 'agent', 'key', 'session', 'user']", "scope_id": "str | None", "unit": "Literal['nano_usd', 'tokens']", "limit": "str", "spent": "str", "percent": "int", "window_start": "str", "window_end": "str"})
BudgetList = TypedDict("BudgetList", {"budgets": "list[Budget]", "pagination": "Pagination"})
BudgetSpending = TypedDict("BudgetSpending", {"scope_id": "str | None", "state": "BudgetState"})
BudgetSpendingList = TypedDict("BudgetSpendingList", {"spending": "list[BudgetSpending]"})
BudgetState = TypedDict("BudgetState", {"spent": "str", "reserved": "str", "uncertain": "str", "left": "str", "window_start": "str", "window_end": "str", "exhausted_at": "str | None"})
CacheMissAgent = TypedDict("CacheMissAgent", {"id": "str | None", "name": "str | None"})
CacheMiss = TypedDict("CacheMiss", {"trace_id": "str", "span_id": "str", "started_at": "str", "session_id": "str", "agent": "CacheMissAgent", "connection": "str | None", "provider": "str | None", "model": "str | None", "cause": "Literal['model_changed', 'connection_changed', 'cache_key_changed', 'not_marked', 'below_minimum', 'expired', 'tools_changed', 'system_changed', 'parameters_changed', 'history_compacted', 'messages_changed', 'concurrent', 'provider_miss']", "also": "list[Literal['model_changed', 'connection_changed', 'cache_key_changed', 'not_marked', 'below_minimum', 'expired', 'tools_changed', 'system_changed', 'parameters_changed', 'history_compacted', 'messages_changed', 'concurrent', 'provider_miss']]", "part": "ChangedPart | None", "before": "CallBefore", "missed_tokens": "int", "extra_cost_nano_usd": "str | None", "extra_cost_usd": "str | None"})
CacheMissExplained = TypedDict("CacheMissExplained", {"verdict": "Literal['miss', 'no_miss', 'not_judged']", "miss": "CacheMiss | None", "difference": "FirstDifference | None"})
CacheMissList = TypedDict("CacheMissList", {"start": "str", "end": "str", "calls": "int", "complete": "bool", "total": "int", "missed_tokens": "int", "extra_cost_nano_usd": "str | None", "extra_cost_usd": "str | None", "unpriced_calls": "int", "causes": "list[CacheMissTally]", "cache_misses": "list[CacheMiss]"})
CacheMissTally = TypedDict("CacheMissTally", {"cause": "Literal['model_changed', 'connection_changed', 'cache_key_changed', 'not_marked', 'below_minimum', 'expired', 'tools_changed', 'system_changed', 'parameters_changed', 'history_compacted', 'messages_changed', 'concurrent', 'provider_miss']", "calls": "int", "missed_tokens": "int", "extra_cost_nano_usd": "str | None", "extra_cost_usd": "str | None"})
CallApproval = TypedDict("CallApproval", {"id": "str | None", "decision": "str", "waited_ms": "int"})
CallAttempt = TypedDict("CallAttempt", {"connection": "str", "model": "str | None", "error_type": "str | None", "duration_ms": "float"})
CallBefore = TypedDict("CallBefore", {"trace_id": "str", "span_id": "str", "started_at": "str", "connection": "str | None", "model": "str | None"})
CallFigures = TypedDict("CallFigures", {"calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int"})
CallLimits = TypedDict("CallLimits", {"calls_per_minute": "int | None", "concurrency": "int | None"})
CallRecording = TypedDict("CallRecording", {"mode": "Literal['required', 'best-effort']", "tool_content": "bool"})
CallView = TypedDict("CallView", {"side": "Literal['client', 'gateway', 'server']", "trace_id": "str", "span_id": "str", "confidence": "Literal['exact', 'strong', 'weak']", "is_counted": "bool", "is_ambiguous": "bool", "name": "str", "service_name": "str | None", "status": "str", "started_at": "str", "duration_ms": "float | None", "starts_after_ms": "float", "clock_offset_ms": "float"})
CallViews = TypedDict("CallViews", {"kind": "Literal['tool_call', 'model_call']", "tool": "str | None", "model": "str | None", "views": "list[CallView]", "between": "list[TimeBetween]"})
CarriedMessage = TypedDict("CarriedMessage", {"kind": "Literal['settings', 'tool', 'system', 'message', 'answer', 'arguments', 'result']", "name": "str | None", "hash": "str", "bytes": "int", "text": "str | None"})
CarriedMessages = TypedDict("CarriedMessages", {"trace_id": "str", "span_id": "str", "session_id": "str | None", "messages": "list[CarriedMessage]"})
ChangeDataActor = TypedDict("ChangeDataActor", {"kind": "str", "id": "str | None", "name": "str"})
ChangeDataTarget = TypedDict("ChangeDataTarget", {"kind": "str", "id": "str", "name": "str"})
ChangeData = TypedDict("ChangeData", {"actor": "ChangeDataActor", "target": "ChangeDataTarget | None", "detail": "dict[str, Any]", "request_id": "str | None", "audit_id": "str"})
ChangedPart = TypedDict("ChangedPart", {"kind": "Literal['tool', 'system', 'message']", "name": "str", "server": "str | None", "position": "int", "change": "Literal['added', 'removed', 'changed', 'moved']"})
ChangedWebhook = TypedDict("ChangedWebhook", {"id": "str", "format": "Literal['standard', 'slack', 'teams', 'pagerduty', 'discord']", "answers_approvals": "bool", "disabled_reason": "str | None", "failing_since": "str | None", "old_secret_expires_at": "str | None", "created_at": "str", "updated_at": "str", "url": "str", "description": "str", "events": "list[str]", "enabled": "bool", "slack_members": "list[SlackMember]", "secret": "NotRequired[str]"})
ClientFigures = TypedDict("ClientFigures", {"client": "str | None", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "NotRequired[dict[str, str]]", "previous": "NotRequired[CallFigures | None]"})
ClientInstall = TypedDict("ClientInstall", {"client": "Literal['claude-code', 'codex', 'cursor', 'vs-code', 'windsurf', 'claude-desktop', 'gemini-cli', 'generic']", "name": "str", "steps": "list[InstallStep]"})
ConsentScopesItem = TypedDict("ConsentScopesItem", {"scope": "str", "description": "str"})
ConsentServer = TypedDict("ConsentServer", {"id": "str", "name": "str"})
ConsentWorkspace = TypedDict("ConsentWorkspace", {"id": "str"})
ConsentOwnAgent = TypedDict("ConsentOwnAgent", {"uuid": "str", "name": "str"})
Consent = TypedDict("Consent", {"client": "OauthClient", "redirect_host": "str", "is_local": "bool", "scopes": "list[ConsentScopesItem]", "resource": "str", "server": "ConsentServer | None", "workspace": "ConsentWorkspace", "own_agent": "ConsentOwnAgent | None", "may_choose_agent": "bool", "expires_at": "str"})
ConsentDecision = TypedDict("ConsentDecision", {"redirect_url": "str"})
CountBySignal = TypedDict("CountBySignal", {"traces": "int", "metrics": "int", "logs": "int"})
Dashboard = TypedDict("Dashboard", {"id": "str", "created_at": "str", "updated_at": "str", "name": "str", "description": "str", "panels": "list[DashboardPanel]"})
DashboardList = TypedDict("DashboardList", {"dashboards": "list[Dashboard]", "pagination": "Pagination"})
DashboardPanel = TypedDict("DashboardPanel", {"id": "str", "title": "str", "question_id": "str | None", "read": "Literal['overview', 'timeseries', 'tools', 'resources', 'prompts', 'servers', 'agents', 'models', 'users', 'clients', 'sessions', 'errors']", "filter": "PanelFilter", "show": "Literal['chart', 'list', 'figures']", "measure": "Literal['calls', 'errors', 'latency', 'tokens', 'cost']", "group_by": "Literal['model', 'agent', 'server', 'tool'] | None", "width": "int", "height": "int"})
Decider = TypedDict("Decider", {"kind": "str", "id": "str | None", "name": "str"})
DefinitionChange = TypedDict("DefinitionChange", {"server": "McpQuestionRef", "tool": "str", "changed_at": "str", "before": "DefinitionVersionFigures", "after": "DefinitionVersionFigures", "error_rate_change": "float | None", "p95_change_ms": "float | None"})
DefinitionChanges = TypedDict("DefinitionChanges", {"start": "str", "end": "str", "definition_changes": "list[DefinitionChange]", "total": "int", "truncated": "bool"})
DefinitionDiff = TypedDict("DefinitionDiff", {"name": "str", "from_hash": "str | None", "to_hash": "str", "compatible": "bool", "incompatibility": "str | None", "differences": "list[DefinitionDifference]"})
DefinitionDifference = TypedDict("DefinitionDifference", {"part": "str", "pointer": "str", "change": "Literal['added', 'removed', 'changed']", "from": "Any", "to": "Any", "text": "str"})
DefinitionFlag = TypedDict("DefinitionFlag", {"code": "str", "severity": "Literal['high', 'medium']", "pointer": "str", "position": "int", "excerpt": "str"})
DefinitionList = TypedDict("DefinitionList", {"definition_policy": "Literal['allow', 'keep-approved', 'suspend']", "definitions": "list[PinnedTool]", "definition_tokens": "int | None"})
DefinitionVersion = TypedDict("DefinitionVersion", {"hash": "str", "first_seen": "str", "last_seen": "str", "current": "bool", "approved": "bool", "definition_tokens": "int | None", "flags": "list[DefinitionFlag]", "definition": "Any"})
DefinitionVersionFigures = TypedDict("DefinitionVersionFigures", {"hash": "str", "since": "str", "until": "str", "calls": "int", "errors": "int", "error_rate": "float | None", "p95_ms": "float | None"})
DefinitionVersionList = TypedDict("DefinitionVersionList", {"versions": "list[DefinitionVersion]"})
Delivery = TypedDict("Delivery", {"id": "str", "event_id": "str", "type": "str", "status": "Literal['pending', 'delivered', 'failed']", "attempts": "int", "created_at": "str", "attempted_at": "str | None", "next_attempt_at": "str | None", "response_status": "int | None", "duration_ms": "int | None", "error": "str | None"})
DeliveryDetail = TypedDict("DeliveryDetail", {"id": "str", "event_id": "str", "type": "str", "status": "Literal['pending', 'delivered', 'failed']", "attempts": "int", "created_at": "str", "attempted_at": "str | None", "next_attempt_at": "str | None", "response_status": "int | None", "duration_ms": "int | None", "error": "str | None", "body": "str", "response_body": "str | None"})
DeliveryList = TypedDict("DeliveryList", {"deliveries": "list[Delivery]", "next_cursor": "str | None"})
Demo = TypedDict("Demo", {"state": "Literal['none', 'making', 'ready', 'failed']", "workspace_id": "str | None", "created_at": "str | None", "highlights": "list[DemoHighlight]"})
DemoHighlight = TypedDict("DemoHighlight", {"kind": "Literal['agent_loop', 'changed_tool', 'budget_breach']", "text": "str", "path": "str"})
DenialCount = TypedDict("DenialCount", {"minute": "str", "address": "str", "code": "str", "count": "int"})
DenialList = TypedDict("DenialList", {"denials": "list[DenialCount]", "next_cursor": "str | None"})
DroppedData = TypedDict("DroppedData", {"day": "str", "rows": "int", "bytes": "int", "free_bytes": "int", "reserve_bytes": "int"})
DroppedItems = TypedDict("DroppedItems", {"signal": "Literal['traces', 'metrics', 'logs']", "reason": "str", "items": "int"})
DroppedParts = TypedDict("DroppedParts", {"attributes": "int", "events": "int", "links": "int"})
EffectiveAccess = TypedDict("EffectiveAccess", {"server": "ServerSummary", "definition_tokens": "int | None", "tools": "list[EffectiveTool]"})
EffectivePrice = TypedDict("EffectivePrice", {"rates": "list[EffectiveRate]"})
EffectiveRate = TypedDict("EffectiveRate", {"dimension": "str", "nano_usd_per_million": "str", "factor": "str", "price": "str"})
EffectiveTool = TypedDict("EffectiveTool", {"name": "str", "allowed": "bool", "reason": "Literal['granted_all', 'granted_selected', 'granted_constrained', 'granted_on_approval', 'agent_unknown', 'agent_not_active', 'server_unknown', 'server_inactive', 'no_grant', 'grant_expired', 'grant_disabled', 'tool_not_selected', 'denied_by_hint', 'prompt_not_selected', 'resource_not_selected', 'arguments_refused', 'approval_required', 'definition_changed', 'undecidable']", "text": "str", "definition_tokens": "int | None", "via": "list[GrantingGrant]"})
Erasure = TypedDict("Erasure", {"id": "str", "session_id": "str | None", "user_id": "str | None", "status": "Literal['pending', 'done']", "created_at": "str", "erased_at": "str | None"})
ErasureList = TypedDict("ErasureList", {"erasures": "list[Erasure]", "pagination": "Pagination"})
ErrorFiguresServer = TypedDict("ErrorFiguresServer", {"id": "str | None", "name": "str | None"})
ErrorFigures = TypedDict("ErrorFigures", {"error_type": "str | None", "kind": "str", "status": "str", "server": "ErrorFiguresServer", "tool": "str | None", "model": "str | None", "message": "str", "trace_id": "str", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "NotRequired[dict[str, str]]", "previous": "NotRequired[CallFigures | None]"})
Facet = TypedDict("Facet", {"field": "str", "values": "list[FacetValue]", "total": "int"})
FacetValue = TypedDict("FacetValue", {"value": "str", "label": "str | None", "count": "int", "errors": "int"})
FirstDifference = TypedDict("FirstDifference", {"offset": "int", "before": "str | None", "after": "str | None"})
Forwarder = TypedDict("Forwarder", {"id": "str", "kind": "Literal['otlp', 'syslog']", "header_names": "list[str]", "state": "list[ForwarderState]", "created_at": "str", "updated_at": "str", "name": "str", "url": "str", "signals": "list[Literal['spans', 'metrics', 'logs', 'audit']]", "filter": "ForwarderFilter", "enabled": "bool"})
ForwarderFilter = TypedDict("ForwarderFilter", {"kinds": "NotRequired[list[Literal['tool_call', 'mcp', 'model_call', 'other']]]", "agents": "NotRequired[list[str]]", "servers": "NotRequired[list[str]]", "attributes": "NotRequired[list[str]]"})
ForwarderList = TypedDict("ForwarderList", {"forwarders": "list[Forwarder]", "pagination": "Pagination"})
ForwarderState = TypedDict("ForwarderState", {"signal": "Literal['spans', 'metrics', 'logs', 'audit']", "position": "str", "lag_s": "float", "sent": "int", "refused": "int", "last_refusal": "str | None", "sent_at": "str | None", "error": "str | None", "failing_since": "str | None", "next_attempt_at": "str | None"})
ForwarderTestResultsItem = TypedDict("ForwarderTestResultsItem", {"signal": "Literal['spans', 'metrics', 'logs', 'audit']", "taken": "bool", "error": "str | None"})
ForwarderTest = TypedDict("ForwarderTest", {"results": "list[ForwarderTestResultsItem]"})
GrantOfAgent = TypedDict("GrantOfAgent", {"grant": "AccessGrant", "server": "ServerSummary", "tools": "list[ToolAccess]"})
GrantSource = TypedDict("GrantSource", {"kind": "Literal['manual', 'toolset']", "id": "NotRequired[str]", "name": "NotRequired[str]"})
GrantingGrant = TypedDict("GrantingGrant", {"grant_id": "str", "source": "GrantSource"})
Health = TypedDict("Health", {"status": "Literal['unknown', 'healthy', 'degraded', 'unhealthy']", "latency_ms": "float | None", "protocol_version": "str | None", "last_checked": "str", "error": "str | None"})
HealthCheck = TypedDict("HealthCheck", {"id": "str", "at": "str", "status": "Literal['unknown', 'healthy', 'degraded', 'unhealthy']", "latency_ms": "float | None", "error": "str | None", "protocol_version": "str | None", "tools": "int | None"})
HealthDataServer = TypedDict("HealthDataServer", {"id": "str", "name": "str"})
HealthData = TypedDict("HealthData", {"server": "HealthDataServer", "from": "Literal['unknown', 'healthy', 'degraded', 'unhealthy']", "to": "Literal['unknown', 'healthy', 'degraded', 'unhealthy']", "error": "str | None", "checked_at": "str"})
HealthHistory = TypedDict("HealthHistory", {"health_checks": "list[HealthCheck]", "next_cursor": "str | None"})
Hook = TypedDict("Hook", {"id": "str", "action": "Literal['deny', 'redact', 'webhook']", "old_secret_expires_at": "str | None", "created_at": "str", "updated_at": "str", "name": "str", "enabled": "bool", "mode": "Literal['dry_run', 'enforce']", "stages": "list[Literal['request', 'response', 'stream']]", "connections": "list[str]", "models": "list[str]", "agents": "list[str]", "timeout_ms": "int", "fail_mode": "Literal['open', 'closed']", "pattern": "str | None", "label": "str", "url": "str | None"})
HookList = TypedDict("HookList", {"hooks": "list[Hook]", "pagination": "Pagination"})
ImportedServer = TypedDict("ImportedServer", {"name": "str", "outcome": "Literal['created', 'skipped', 'refused']", "id": "str | None", "slug": "str | None", "code": "str | None", "detail": "str | None"})
ImportedServers = TypedDict("ImportedServers", {"mcp_servers": "list[ImportedServer]"})
IngestToken = TypedDict("IngestToken", {"id": "str", "prefix": "str", "last4": "str", "status": "Literal['active', 'revoked', 'expired']", "created_at": "str", "last_used_at": "str | None", "rotation": "Rotation | None", "name": "str", "expires_at": "str | None", "allowed_addresses": "list[str] | None"})
IngestTokenList = TypedDict("IngestTokenList", {"ingest_tokens": "list[IngestToken]", "pagination": "Pagination"})
InstallStep = TypedDict("InstallStep", {"kind": "Literal['command', 'file', 'link']", "path": "NotRequired[str]", "language": "NotRequired[Literal['json', 'toml', 'shell']]", "text": "str"})
InstanceClock = TypedDict("InstanceClock", {"status": "Literal['believed', 'doubted', 'unconfirmed']", "now": "str", "deletes_as_of": "str", "ahead_ms": "int", "deletes_again_at": "str | None"})
InstanceWorkspace = TypedDict("InstanceWorkspace", {"id": "str", "name": "str", "created_at": "str", "member_count": "int", "rights": "WorkspaceRights"})
InstanceWorkspaceList = TypedDict("InstanceWorkspaceList", {"workspaces": "list[InstanceWorkspace]", "pagination": "Pagination"})
InvalidArgument = TypedDict("InvalidArgument", {"server": "McpQuestionRef", "tool": "str", "field": "str | None", "failures": "int", "calls": "int", "failure_rate": "float", "agents": "int", "last_at": "str", "trace_id": "str"})
InvalidArguments = TypedDict("InvalidArguments", {"start": "str", "end": "str", "invalid_arguments": "list[InvalidArgument]", "total": "int", "truncated": "bool"})
Invitation = TypedDict("Invitation", {"id": "str", "email": "str", "role": "Literal['viewer', 'auditor', 'member', 'admin', 'owner']", "invited_by": "str | None", "created_at": "str", "expires_at": "str"})
InvitationList = TypedDict("InvitationList", {"invitations": "list[Invitation]", "pagination": "Pagination"})
InvitationPreviewWorkspace = TypedDict("InvitationPreviewWorkspace", {"name": "str"})
InvitationPreview = TypedDict("InvitationPreview", {"workspace": "InvitationPreviewWorkspace", "email": "str", "role": "Literal['viewer', 'auditor', 'member', 'admin', 'owner']", "account_exists": "bool", "needs": "Literal['new_password', 'session', 'password']", "expires_at": "str"})
Jwk = TypedDict("Jwk", {"kty": "str", "crv": "str", "x": "str", "y": "str", "kid": "str", "alg": "str", "use": "str"})
Jwks = TypedDict("Jwks", {"keys": "list[Jwk]"})
Key = TypedDict("Key", {"id": "str", "prefix": "str", "last4": "str", "status": "Literal['active', 'revoked', 'expired']", "created_at": "str", "last_used_at": "str | None", "rotation": "Rotation | None", "name": "str", "expires_at": "str | None", "allowed_addresses": "list[str] | None", "scopes": "list[Literal['agents:read', 'agents:write', 'servers:read', 'servers:write', 'access:read', 'access:write', 'keys:read', 'keys:write', 'provider-keys:read', 'provider-keys:write', 'webhooks:read', 'webhooks:write', 'forwarders:read', 'forwarders:write', 'alerts:read', 'alerts:write', 'budgets:read', 'budgets:write', 'programs:write', 'spotlight:read', 'telemetry:read', 'audit:read', 'approvals:decide', 'proxy:invoke', 'mcp:invoke']]", "agent_uuid": "str | None", "on_disconnect": "Literal['abort', 'drain', 'detach']"})
KeyList = TypedDict("KeyList", {"keys": "list[Key]", "pagination": "Pagination"})
LangfuseError = TypedDict("LangfuseError", {"id": "str", "status": "int", "message": "str", "error": "str"})
LangfuseIngestion = TypedDict("LangfuseIngestion", {"successes": "list[LangfuseSuccess]", "errors": "list[LangfuseError]"})
LangfuseOrganization = TypedDict("LangfuseOrganization", {"id": "str", "name": "str"})
LangfuseProject = TypedDict("LangfuseProject", {"id": "str", "name": "str", "organization": "LangfuseOrganization", "metadata": "dict[str, Any]"})
LangfuseProjects = TypedDict("LangfuseProjects", {"data": "list[LangfuseProject]"})
LangfuseScore = TypedDict("LangfuseScore", {"id": "NotRequired[str | None]", "traceId": "NotRequired[str | None]", "observationId": "NotRequired[str | None]", "sessionId": "NotRequired[str | None]", "name": "NotRequired[str]", "value": "NotRequired[float | str | bool | None]", "dataType": "NotRequired[str | None]", "comment": "NotRequired[str | None]", "timestamp": "NotRequired[str | None]"})
LangfuseScoreId = TypedDict("LangfuseScoreId", {"id": "str"})
LangfuseSuccess = TypedDict("LangfuseSuccess", {"id": "str", "status": "int"})
Latency = TypedDict("Latency", {"p50": "float | None", "p95": "float | None", "p99": "float | None"})
LedgerEntry = TypedDict("LedgerEntry", {"dimension": "str", "quantity": "int", "cost_nano_usd": "str | None", "cost_usd": "str | None", "nano_usd_per_million": "str | None", "factor": "str", "iteration": "int", "model": "str", "price": "str | None"})
LedgerList = TypedDict("LedgerList", {"ledger": "list[LedgerRow]", "sums": "LedgerSums", "next_cursor": "str | None"})
LedgerRow = TypedDict("LedgerRow", {"started_at": "str", "trace_id": "str", "span_id": "str", "line": "int", "agent_uuid": "str | None", "key_id": "str | None", "session_id": "str | None", "user_id": "str | None", "connection": "str", "provider": "str", "model": "str", "dimension": "str", "quantity": "int", "iteration": "int", "nano_usd_per_million": "str | None", "factor": "str", "cost_nano_usd": "str | None", "cost_usd": "str | None", "price": "str | None"})
LedgerSums = TypedDict("LedgerSums", {"rows": "int", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_rows": "int"})
LedgerVersionRowsItem = TypedDict("LedgerVersionRowsItem", {"line": "int", "cost_nano_usd": "str | None", "cost_usd": "str | None", "nano_usd_per_million": "str | None", "factor": "str", "price": "str | None"})
LedgerVersion = TypedDict("LedgerVersion", {"revision": "str | None", "cost_nano_usd": "str | None", "cost_usd": "str | None", "rows": "list[LedgerVersionRowsItem]"})
LedgerVersionList = TypedDict("LedgerVersionList", {"versions": "list[LedgerVersion]"})
Limit = TypedDict("Limit", {"class": "Literal['api', 'anonymous', 'mcp', 'model', 'otlp']", "requests": "int | None", "window_s": "int | None", "per": "Literal['credential', 'address']", "source": "Literal['default', 'operator', 'workspace']"})
LimitList = TypedDict("LimitList", {"limits": "list[Limit]"})
LinkStart = TypedDict("LinkStart", {"url": "str"})
LinkedIdentity = TypedDict("LinkedIdentity", {"id": "str", "provider": "str | None", "issuer": "str", "email": "str | None", "created_at": "str", "last_used_at": "str"})
LiveSession = TypedDict("LiveSession", {"id": "str", "current": "bool", "user_agent": "str", "address": "str", "created_at": "str", "last_used_at": "str", "expires_at": "str | None"})
LogList = TypedDict("LogList", {"logs": "list[LogRecord]", "next_cursor": "str | None"})
LogRecord = TypedDict("LogRecord", {"recorded_at": "str", "time_unix_nano": "str | None", "observed_time_unix_nano": "str | None", "trace_id": "str | None", "span_id": "str | None", "flags": "int", "severity_number": "int", "severity_text": "str", "event_name": "str | None", "body": "Any", "attributes": "dict[str, Any]", "dropped_attributes": "int", "service_name": "str | None", "resource": "dict[str, Any]", "resource_schema_url": "str", "scope": "LogScope"})
LogScope = TypedDict("LogScope", {"name": "str", "version": "str", "attributes": "dict[str, Any]", "schema_url": "str"})
MailLink = TypedDict("MailLink", {"id": "str", "to": "str", "subject": "str", "link": "str", "created_at": "str", "expires_at": "str"})
MailLinkList = TypedDict("MailLinkList", {"mail_links": "list[MailLink]", "pagination": "Pagination"})
MasterKey = TypedDict("MasterKey", {"key_id": "str", "source": "Literal['file', 'setting']", "rotation": "MasterKeyRotation | None"})
MasterKeyRotation = TypedDict("MasterKeyRotation", {"state": "Literal['running', 'done']", "done": "int", "total": "int", "error": "str | None", "started_at": "str", "finished_at": "str | None"})
MatrixAgent = TypedDict("MatrixAgent", {"uuid": "str", "name": "str", "status": "Literal['active', 'paused', 'stopped', 'error']", "access": "list[MatrixCell]"})
MatrixCell = TypedDict("MatrixCell", {"server_id": "str", "grants": "list[MatrixGrant]", "tools": "list[MatrixDecision]", "unknown_tools": "list[str]"})
MatrixDecision = TypedDict("MatrixDecision", {"name": "str", "allowed": "bool", "reason": "Literal['granted_all', 'granted_selected', 'granted_constrained', 'granted_on_approval', 'agent_unknown', 'agent_not_active', 'server_unknown', 'server_inactive', 'no_grant', 'grant_expired', 'grant_disabled', 'tool_not_selected', 'denied_by_hint', 'prompt_not_selected', 'resource_not_selected', 'arguments_refused', 'approval_required', 'definition_changed', 'undecidable']"})
MatrixGrant = TypedDict("MatrixGrant", {"id": "str", "source": "GrantSource", "enabled": "bool", "expires_at": "str | None", "created_at": "str", "changed_by": "str | None", "changed_at": "str"})
MatrixServer = TypedDict("MatrixServer", {"id": "str", "name": "str", "slug": "str", "status": "str", "tools": "list[str]"})
McpQuestionRef = TypedDict("McpQuestionRef", {"id": "str", "name": "str"})
McpServer = TypedDict("McpServer", {"id": "str", "name": "str", "slug": "str", "description": "str", "endpoint_url": "str", "command": "str | None", "args": "list[str]", "transport_type": "Literal['http', 'sse', 'stdio']", "hosting_mode": "Literal['remote', 'hosted']", "status": "Literal['active', 'inactive', 'deploying', 'error']", "health_status": "Literal['unknown', 'healthy', 'degraded', 'unhealthy']", "health_error": "str | None", "tools_pending": "str | None", "last_health_check": "str", "definition_policy": "Literal['allow', 'keep-approved', 'suspend']", "configuration": "dict[str, Any]", "call_limits": "dict[str, CallLimits]", "max_result_bytes": "int | None", "tool_prefix": "str | None", "tool_aliases": "dict[str, str]", "header_names": "list[str]", "env_names": "list[str]", "created_at": "str", "updated_at": "str", "agent_access": "list[AgentAccess]"})
McpServerList = TypedDict("McpServerList", {"mcp_servers": "list[McpServerSummary]", "pagination": "Pagination"})
McpServerSummary = TypedDict("McpServerSummary", {"id": "str", "name": "str", "slug": "str", "description": "str", "endpoint_url": "str", "command": "str | None", "args": "list[str]", "transport_type": "Literal['http', 'sse', 'stdio']", "hosting_mode": "Literal['remote', 'hosted']", "status": "Literal['active', 'inactive', 'deploying', 'error']", "health_status": "Literal['unknown', 'healthy', 'degraded', 'unhealthy']", "health_error": "str | None", "tools_pending": "str | None", "last_health_check": "str", "definition_policy": "Literal['allow', 'keep-approved', 'suspend']", "configuration": "dict[str, Any]", "call_limits": "dict[str, CallLimits]", "max_result_bytes": "int | None", "tool_prefix": "str | None", "tool_aliases": "dict[str, str]", "header_names": "list[str]", "env_names": "list[str]", "created_at": "str", "updated_at": "str", "agent_access_count": "int"})
Me = TypedDict("Me", {"user": "User", "operator": "bool", "workspace": "WorkspaceSummary", "workspaces": "list[WorkspaceSummary]"})
Member = TypedDict("Member", {"user_id": "str", "email": "str", "name": "str", "verified": "bool", "joined_at": "str", "role": "Literal['viewer', 'auditor', 'member', 'admin', 'owner']"})
MemberList = TypedDict("MemberList", {"members": "list[Member]", "pagination": "Pagination"})
Metric = TypedDict("Metric", {"name": "str", "kind": "Literal['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary']", "unit": "str", "description": "str", "temporality": "Literal['unspecified', 'delta', 'cumulative']", "is_monotonic": "bool", "points": "int", "last_at": "str"})
MetricList = TypedDict("MetricList", {"metrics": "list[Metric]", "next_cursor": "str | None"})
MetricPoints = TypedDict("MetricPoints", {"metric": "str", "kind": "Literal['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary']", "unit": "str", "start": "str", "end": "str", "interval_ms": "int", "series": "list[MetricSeries]"})
MetricSeries = TypedDict("MetricSeries", {"group": "dict[str, str]", "points": "list[MetricValue]"})
MetricValue = TypedDict("MetricValue", {"start": "str", "value": "float"})
ModelAccessConnectionsItem = TypedDict("ModelAccessConnectionsItem", {"name": "str", "models": "list[str]"})
ModelAccess = TypedDict("ModelAccess", {"mode": "Literal['all', 'selected']", "connections": "NotRequired[list[ModelAccessConnectionsItem]]"})
ModelFigures = TypedDict("ModelFigures", {"provider": "str | None", "model": "str | None", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "NotRequired[dict[str, str]]", "previous": "NotRequired[CallFigures | None]"})
ModelLimit = TypedDict("ModelLimit", {"id": "str", "scope": "Literal['workspace', 'agent', 'key', 'connection']", "scope_id": "str | None", "created_at": "str", "updated_at": "str", "name": "str", "requests_per_minute": "int | None", "tokens_per_minute": "int | None", "concurrency": "int | None", "enabled": "bool"})
ModelLimitList = TypedDict("ModelLimitList", {"model_limits": "list[ModelLimit]", "pagination": "Pagination"})
ModelRoute = TypedDict("ModelRoute", {"id": "str", "name": "str", "created_at": "str", "updated_at": "str", "strategy": "Literal['ordered', 'weighted', 'least_latency']", "retries": "int", "first_token_timeout_ms": "int | None", "idle_timeout_ms": "int | None", "total_timeout_ms": "int | None", "targets": "list[RouteTarget]", "warnings": "list[str]"})
ModelRouteList = TypedDict("ModelRouteList", {"routes": "list[ModelRoute]", "pagination": "Pagination"})
NewHook = TypedDict("NewHook", {"id": "str", "action": "Literal['deny', 'redact', 'webhook']", "old_secret_expires_at": "str | None", "created_at": "str", "updated_at": "str", "name": "str", "enabled": "bool", "mode": "Literal['dry_run', 'enforce']", "stages": "list[Literal['request', 'response', 'stream']]", "connections": "list[str]", "models": "list[str]", "agents": "list[str]", "timeout_ms": "int", "fail_mode": "Literal['open', 'closed']", "pattern": "str | None", "label": "str", "url": "str | None", "secret": "NotRequired[str]"})
NewIngestToken = TypedDict("NewIngestToken", {"id": "str", "prefix": "str", "last4": "str", "status": "Literal['active', 'revoked', 'expired']", "created_at": "str", "last_used_at": "str | None", "rotation": "Rotation | None", "name": "str", "expires_at": "str | None", "allowed_addresses": "list[str] | None", "token": "str"})
NewInvitation = TypedDict("NewInvitation", {"id": "str", "email": "str", "role": "Literal['viewer', 'auditor', 'member', 'admin', 'owner']", "invited_by": "str | None", "created_at": "str", "expires_at": "str", "mailed": "bool", "link": "NotRequired[str]"})
NewKey = TypedDict("NewKey", {"id": "str", "prefix": "str", "last4": "str", "status": "Literal['active', 'revoked', 'expired']", "created_at": "str", "last_used_at": "str | None", "rotation": "Rotation | None", "name": "str", "expires_at": "str | None", "allowed_addresses": "list[str] | None", "scopes": "list[Literal['agents:read', 'agents:write', 'servers:read', 'servers:write', 'access:read', 'access:write', 'keys:read', 'keys:write', 'provider-keys:read', 'provider-keys:write', 'webhooks:read', 'webhooks:write', 'forwarders:read', 'forwarders:write', 'alerts:read', 'alerts:write', 'budgets:read', 'budgets:write', 'programs:write', 'spotlight:read', 'telemetry:read', 'audit:read', 'approvals:decide', 'proxy:invoke', 'mcp:invoke']]", "agent_uuid": "str | None", "on_disconnect": "Literal['abort', 'drain', 'detach']", "key": "str"})
NewSessionShare = TypedDict("NewSessionShare", {"id": "str", "session_id": "str", "messages": "bool", "created_by": "str", "created_at": "str", "expires_at": "str", "url": "str"})
NewWebhook = TypedDict("NewWebhook", {"id": "str", "format": "Literal['standard', 'slack', 'teams', 'pagerduty', 'discord']", "answers_approvals": "bool", "disabled_reason": "str | None", "failing_since": "str | None", "old_secret_expires_at": "str | None", "created_at": "str", "updated_at": "str", "url": "str", "description": "str", "events": "list[str]", "enabled": "bool", "slack_members": "list[SlackMember]", "secret": "NotRequired[str]"})
OauthClient = TypedDict("OauthClient", {"id": "str", "name": "str", "uri": "str | None", "verified_host": "str | None"})
Operator = TypedDict("Operator", {"id": "str", "email": "str", "name": "str"})
OperatorList = TypedDict("OperatorList", {"operators": "list[Operator]", "pagination": "Pagination"})
OtlpAnyValue = TypedDict("OtlpAnyValue", {"stringValue": "NotRequired[str]", "boolValue": "NotRequired[bool]", "intValue": "NotRequired[str]", "doubleValue": "NotRequired[float | str]", "bytesValue": "NotRequired[str]", "arrayValue": "NotRequired[OtlpArray]", "kvlistValue": "NotRequired[OtlpKeyValueList]"})
OtlpArray = TypedDict("OtlpArray", {"values": "list[OtlpAnyValue]"})
OtlpKeyValue = TypedDict("OtlpKeyValue", {"key": "str", "value": "OtlpAnyValue"})
OtlpKeyValueList = TypedDict("OtlpKeyValueList", {"values": "list[OtlpKeyValue]"})
OverlappingTool = TypedDict("OverlappingTool", {"server": "McpQuestionRef", "tool": "str", "calls": "int"})
Pagination = TypedDict("Pagination", {"page": "int", "limit": "int", "total": "int", "total_pages": "int"})
PanelFilter = TypedDict("PanelFilter", {"kind": "NotRequired[Literal['tool_call', 'model_call', 'mcp']]", "status": "NotRequired[Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset']]", "agent": "NotRequired[str]", "server": "NotRequired[str]", "tool": "NotRequired[str]", "provider": "NotRequired[str]", "model": "NotRequired[str]", "connection": "NotRequired[str]", "user": "NotRequired[str]", "session": "NotRequired[str]", "client": "NotRequired[str]", "error_type": "NotRequired[str]", "resource": "NotRequired[str]", "prompt": "NotRequired[str]", "filter": "NotRequired[list[str]]"})
PendingDefinitionServer = TypedDict("PendingDefinitionServer", {"id": "str", "name": "str"})
PendingDefinition = TypedDict("PendingDefinition", {"server": "PendingDefinitionServer", "name": "str", "state": "Literal['open', 'kept', 'suspended']", "reason": "Literal['changed', 'incompatible', 'new', 'hidden_text', 'rejected'] | None", "renamed_from": "str | None", "hash": "str", "since": "str"})
PendingDefinitionList = TypedDict("PendingDefinitionList", {"pending": "list[PendingDefinition]"})
PersonOfClient = TypedDict("PersonOfClient", {"id": "str", "email": "str"})
PinnedTool = TypedDict("PinnedTool", {"name": "str", "state": "Literal['open', 'kept', 'suspended']", "reason": "Literal['changed', 'incompatible', 'new', 'hidden_text', 'rejected'] | None", "detail": "str | None", "renamed_from": "str | None", "pending": "bool", "current_hash": "str | None", "approved_hash": "str | None", "since": "str", "decided_at": "str | None", "decided_by": "str | None", "definition_tokens": "int | None", "flags": "list[DefinitionFlag]"})
PreviewFilter = TypedDict("PreviewFilter", {"kind": "NotRequired[Literal['tool_call', 'model_call', 'mcp']]", "status": "NotRequired[Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset']]", "agent": "NotRequired[str]", "server": "NotRequired[str]", "tool": "NotRequired[str]", "provider": "NotRequired[str]", "model": "NotRequired[str]", "connection": "NotRequired[str]", "user": "NotRequired[str]", "session": "NotRequired[str]", "client": "NotRequired[str]", "error_type": "NotRequired[str]", "resource": "NotRequired[str]", "prompt": "NotRequired[str]", "filter": "NotRequired[list[str]]"})
PreviewPoint = TypedDict("PreviewPoint", {"at": "str", "value": "float | None", "status": "Literal['ok', 'firing', 'no_data', 'unknown']"})
Price = TypedDict("Price", {"id": "str", "connection": "str | None", "provider": "str | None", "model": "str", "rates": "PriceRates", "factor": "str | None", "note": "str", "effective_from": "str", "effective_until": "str | None", "created_at": "str", "updated_at": "str"})
PriceList = TypedDict("PriceList", {"prices": "list[Price]", "table": "PriceTable", "pagination": "Pagination"})
PriceRates = TypedDict("PriceRates", {"in_text": "NotRequired[str]", "in_audio": "NotRequired[str]", "in_image": "NotRequired[str]", "in_video": "NotRequired[str]", "cache_read": "NotRequired[str]", "cache_read_audio": "NotRequired[str]", "cache_read_image": "NotRequired[str]", "cache_write_5m": "NotRequired[str]", "cache_write_30m": "NotRequired[str]", "cache_write_1h": "NotRequired[str]", "cache_write_12h": "NotRequired[str]", "tool_prompt": "NotRequired[str]", "out_text": "NotRequired[str]", "out_reasoning": "NotRequired[str]", "out_audio": "NotRequired[str]", "out_image": "NotRequired[str]", "out_video": "NotRequired[str]", "out_citation": "NotRequired[str]", "pred_rejected": "NotRequired[str]", "request": "NotRequired[str]", "web_search": "NotRequired[str]", "web_fetch": "NotRequired[str]", "grounding_query": "NotRequired[str]", "file_search": "NotRequired[str]", "code_exec_s": "NotRequired[str]", "image_count": "NotRequired[str]", "audio_s": "NotRequired[str]", "cache_storage_token_hours": "NotRequired[str]", "reported_cost": "NotRequired[str]"})
PriceTable = TypedDict("PriceTable", {"source": "str", "version": "str"})
ProblemErrorsItem = TypedDict("ProblemErrorsItem", {"pointer": "str", "code": "str", "detail": "str"})
Problem = TypedDict("Problem", {"type": "str", "title": "str", "status": "int", "detail": "str", "code": "Literal['workspace_mismatch', 'invalid_request', 'invalid_json', 'invalid_host', 'invalid_path', 'ambiguous_credentials', 'not_found', 'method_not_allowed', 'body_too_large', 'unsupported_media_type', 'question_too_large', 'upgrade_required', 'headers_too_large', 'unauthenticated', 'wrong_credentials', 'session_ended', 'forbidden', 'setup_required', 'setup_link_invalid', 'password_login_off', 'mail_link_invalid', 'signup_closed', 'invitation_invalid', 'sharing_off', 'share_invalid', 'invitation_for_another', 'authorization_invalid', 'agent_required', 'agent_not_active', 'model_not_granted', 'hook_denied', 'tool_not_granted', 'stdio_not_allowed', 'call_cut', 'path_not_allowed', 'provider_key_missing', 'address_not_allowed', 'blocked_address', 'budget_exhausted', 'model_unpriced', 'conflict', 'last_way_in', 'last_owner', 'last_workspace', 'last_operator', 'set_by_environment', 'sign_in_required', 'name_taken', 'idempotency_in_progress', 'idempotency_answer_lost', 'approval_decided', 'derived_grant', 'suggestion_outdated', 'grant_changed', 'grants_exist', 'precondition_failed', 'no_password', 'weak_password', 'idempotency_mismatch', 'wrong_password', 'too_many_requests', 'rate_limited', 'model_calls_limited', 'internal', 'upstream_unreachable', 'upstream_timeout', 'hook_failed', 'recorder_full', 'stale_permissions', 'disk_full', 'store_unavailable', 'overloaded', 'shutting_down']", "request_id": "str", "errors": "NotRequired[list[ProblemErrorsItem]]"})
ProgramProcessesItem = TypedDict("ProgramProcessesItem", {"pid": "int | None", "started_at": "str", "sessions": "int", "shared": "bool"})
Program = TypedDict("Program", {"state": "Literal['stopped', 'running', 'waiting']", "processes": "list[ProgramProcessesItem]", "starts": "int", "failures": "int", "last_end": "str | None", "next_start_at": "str | None", "sandbox": "Literal['bubblewrap', 'none']", "sandbox_missing": "str | None", "package": "ProgramPackage | None", "install_error": "str | None", "limits": "ProgramLimits", "fingerprint": "str", "acceptance_sentence": "str", "accepted": "ProgramAcceptance | None", "accepted_without_sandbox": "ProgramAcceptance | None", "allowed_hosts": "list[str]"})
ProgramAcceptance = TypedDict("ProgramAcceptance", {"by": "str", "at": "str"})
ProgramLimits = TypedDict("ProgramLimits", {"memory_bytes": "int", "processes": "int", "idle_ms": "int"})
ProgramLogsLinesItem = TypedDict("ProgramLogsLinesItem", {"at": "str", "stream": "Literal['stderr', 'stdout', 'signalbox']", "text": "str"})
ProgramLogs = TypedDict("ProgramLogs", {"lines": "list[ProgramLogsLinesItem]"})
ProgramPackage = TypedDict("ProgramPackage", {"name": "str", "version": "str", "integrity": "str"})
PromptFiguresServer = TypedDict("PromptFiguresServer", {"id": "str | None", "name": "str | None"})
PromptFigures = TypedDict("PromptFigures", {"server": "PromptFiguresServer", "prompt": "str", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "NotRequired[dict[str, str]]", "previous": "NotRequired[CallFigures | None]"})
ProposedGrant = TypedDict("ProposedGrant", {"op": "Literal['create', 'update']", "server_id": "str", "agent_uuid": "str", "access_mode": "NotRequired[Literal['all', 'selected']]", "allowed_tools": "NotRequired[list[str] | None]", "allowed_prompts": "NotRequired[list[str] | None]", "allowed_resources": "NotRequired[list[str] | None]", "enabled": "NotRequired[bool]", "expires_at": "NotRequired[str | None]", "constraints": "NotRequired[dict[str, Any]]", "approval": "NotRequired[dict[str, Literal['ask']]]", "approver": "NotRequired[Literal['workspace', 'caller']]", "approval_wait_ms": "NotRequired[int | None]", "denied_hints": "NotRequired[list[Literal['destructiveHint', 'openWorldHint']]]", "call_limits": "NotRequired[dict[str, CallLimits]]"})
ProposedRemoval = TypedDict("ProposedRemoval", {"op": "Literal['delete']", "server_id": "str", "agent_uuid": "str"})
ProposedToolsetToolsItem = TypedDict("ProposedToolsetToolsItem", {"server_id": "str", "tools": "list[str] | Literal['*']"})
ProposedToolset = TypedDict("ProposedToolset", {"toolset_id": "str", "tools": "NotRequired[list[ProposedToolsetToolsItem]]", "groups": "NotRequired[list[str]]"})
ProviderKey = TypedDict("ProviderKey", {"id": "str", "name": "str", "provider": "Literal['openai', 'anthropic', 'openai_compatible', 'gemini', 'azure_openai', 'vertex', 'bedrock']", "base_url": "str", "record_bodies": "bool", "inject_usage": "bool", "priced_as": "Literal['openai', 'anthropic', 'openai_compatible', 'gemini', 'azure_openai', 'vertex', 'bedrock', 'openrouter', 'mistral_ai', 'groq', 'deepseek', 'x_ai', 'cerebras', 'cohere', 'fireworks', 'together', 'perplexity', 'moonshot_ai', 'minimax', 'zai', 'voyageai'] | None", "vendor": "Literal['openai', 'anthropic', 'openai_compatible', 'gemini', 'azure_openai', 'vertex', 'bedrock', 'openrouter', 'mistral_ai', 'groq', 'deepseek', 'x_ai', 'cerebras', 'cohere', 'fireworks', 'together', 'perplexity', 'moonshot_ai', 'minimax', 'zai', 'voyageai']", "last4": "str | None", "status": "Literal['active', 'secret_missing']", "last_used_at": "str | None", "created_at": "str", "updated_at": "str"})
ProviderKeyList = TypedDict("ProviderKeyList", {"provider_keys": "list[ProviderKey]", "pagination": "Pagination"})
ProviderKeyTest = TypedDict("ProviderKeyTest", {"ok": "bool", "status": "int | None", "latency_ms": "float", "detail": "str"})
Question = TypedDict("Question", {"id": "str", "created_at": "str", "updated_at": "str", "name": "str", "read": "Literal['overview', 'timeseries', 'tools', 'resources', 'prompts', 'servers', 'agents', 'models', 'users', 'clients', 'sessions', 'errors']", "range": "Literal['15m', '1h', '6h', '24h', '7d', '30d']", "filter": "QuestionFilter", "compare": "bool", "sort": "Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change']", "address": "str | None"})
QuestionAnswer = TypedDict("QuestionAnswer", {"question": "Question", "answer": "SpotlightOverview | Timeseries | SpotlightTools | SpotlightResources | SpotlightPrompts | SpotlightServers | SpotlightAgents | SpotlightModels | SpotlightUsers | SpotlightClients | SpotlightSessions | SpotlightErrors"})
QuestionFilter = TypedDict("QuestionFilter", {"kind": "NotRequired[Literal['tool_call', 'model_call', 'mcp']]", "status": "NotRequired[Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset']]", "agent": "NotRequired[str]", "server": "NotRequired[str]", "tool": "NotRequired[str]", "provider": "NotRequired[str]", "model": "NotRequired[str]", "connection": "NotRequired[str]", "user": "NotRequired[str]", "session": "NotRequired[str]", "client": "NotRequired[str]", "error_type": "NotRequired[str]", "resource": "NotRequired[str]", "prompt": "NotRequired[str]", "filter": "NotRequired[list[str]]"})
QuestionList = TypedDict("QuestionList", {"questions": "list[Question]", "pagination": "Pagination"})
Readiness = TypedDict("Readiness", {"status": "str", "checks": "NotRequired[dict[str, str]]"})
RecordedAgent = TypedDict("RecordedAgent", {"uuid": "str", "name": "str | None"})
RecordedServer = TypedDict("RecordedServer", {"id": "str", "name": "str | None"})
RecorderState = TypedDict("RecorderState", {"node_url": "str | None", "acknowledged_rows": "int", "stored_rows": "int", "pending_rows": "int", "quarantined_rows": "int", "damaged_rows": "int", "open_calls": "int", "log_bytes": "int", "log_max_bytes": "int", "disk_free_bytes": "int | None", "disk_reserve_bytes": "int | None", "oldest_pending_ms": "float", "last_flush_ms": "float", "write_failure": "str | None", "ship_failure": "str | None", "event_loop_stall_ms": "float", "accepted": "CountBySignal", "repeated": "CountBySignal", "dropped": "list[DroppedItems]", "refused": "list[RefusedRequests]"})
RedactionRule = TypedDict("RedactionRule", {"id": "str", "created_at": "str", "updated_at": "str", "name": "str", "pattern": "str", "label": "str", "applies_to": "list[Literal['content', 'attributes', 'log_bodies', 'all']]", "attribute_keys": "list[str]", "ingest_token_id": "str | None"})
RedactionRuleList = TypedDict("RedactionRuleList", {"redaction_rules": "list[RedactionRule]", "pagination": "Pagination"})
RedactionTrial = TypedDict("RedactionTrial", {"text": "str", "found": "list[str]"})
RefusedRequests = TypedDict("RefusedRequests", {"reason": "str", "requests": "int"})
ReleaseBefore = TypedDict("ReleaseBefore", {"version": "str", "calls": "int", "error_rate": "float | None", "latency_ms": "Latency", "first_seen_at": "str", "last_seen_at": "str"})
ReleasedServer = TypedDict("ReleasedServer", {"id": "str", "name": "str"})
Renormalisation = TypedDict("Renormalisation", {"id": "str", "start": "str", "end": "str", "dialect": "str | None", "status": "Literal['pending', 'running', 'done']", "spans": "int", "created_at": "str", "finished_at": "str | None"})
RenormalisationList = TypedDict("RenormalisationList", {"renormalisations": "list[Renormalisation]", "pagination": "Pagination"})
RepricingModelsItem = TypedDict("RepricingModelsItem", {"provider": "str", "model": "str", "calls": "int", "changed": "int", "cost_before_nano_usd": "str", "cost_before_usd": "str", "cost_after_nano_usd": "str", "cost_after_usd": "str", "unpriced_before": "int", "unpriced_after": "int"})
Repricing = TypedDict("Repricing", {"revision": "str | None", "start": "str", "end": "str", "calls": "int", "changed": "int", "cost_before_nano_usd": "str", "cost_before_usd": "str", "cost_after_nano_usd": "str", "cost_after_usd": "str", "unpriced_before": "int", "unpriced_after": "int", "models": "list[RepricingModelsItem]"})
RequestedServer = TypedDict("RequestedServer", {"id": "str", "name": "str", "slug": "str"})
Requester = TypedDict("Requester", {"id": "str", "name": "str"})
RequestingAgent = TypedDict("RequestingAgent", {"uuid": "str", "name": "str"})
ResourceFiguresServer = TypedDict("ResourceFiguresServer", {"id": "str | None", "name": "str | None"})
ResourceFigures = TypedDict("ResourceFigures", {"server": "ResourceFiguresServer", "resource": "str", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "NotRequired[dict[str, str]]", "previous": "NotRequired[CallFigures | None]"})
Retention = TypedDict("Retention", {"traces_days": "Literal[1, 7, 30, 90, 365] | None", "logs_days": "Literal[1, 7, 30, 90, 365] | None", "metrics_days": "Literal[1, 7, 30, 90, 365] | None", "instance_days": "int"})
RetryLoop = TypedDict("RetryLoop", {"agent": "McpQuestionRef", "server": "McpQuestionRef", "tool": "str", "calls": "int", "errors": "int", "started_at": "str", "ended_at": "str", "in_calls_ms": "float", "model_calls": "int", "model_cost_nano_usd": "str", "model_cost_usd": "str", "last_status": "str", "trace_id": "str"})
RetryLoops = TypedDict("RetryLoops", {"start": "str", "end": "str", "retry_loops": "list[RetryLoop]", "total": "int", "truncated": "bool"})
Rotation = TypedDict("Rotation", {"state": "Literal['pending', 'grace']", "prefix": "str", "last4": "str", "created_at": "str", "old_expires_at": "str | None"})
RouteTarget = TypedDict("RouteTarget", {"connection": "str", "model": "str | None", "weight": "int", "for_models": "list[str]"})
Score = TypedDict("Score", {"id": "str", "name": "str", "type": "Literal['numeric', 'boolean', 'category', 'comment']", "value": "float | bool | str | None", "comment": "str", "source": "Literal['person', 'model', 'code', 'end_user'] | None", "trace_id": "str | None", "span_id": "str | None", "session_id": "str | None", "created_at": "str"})
ScoreFigures = TypedDict("ScoreFigures", {"name": "str", "scores": "int", "average": "float | None", "min": "float | None", "max": "float | None", "median": "float | None", "labels": "list[ScoreLabel]", "last_scored_at": "str"})
ScoreLabel = TypedDict("ScoreLabel", {"label": "str", "scores": "int"})
ScoreList = TypedDict("ScoreList", {"scores": "list[Score]", "next_cursor": "str | None"})
SelectedTool = TypedDict("SelectedTool", {"agent": "McpQuestionRef", "server": "McpQuestionRef | None", "tool": "str", "listed": "bool", "offered": "int", "chosen": "int", "choice_rate": "float | None", "calls": "int", "errors": "int", "last_called_at": "str | None"})
ServerFiguresServer = TypedDict("ServerFiguresServer", {"id": "str | None", "name": "str | None"})
ServerFigures = TypedDict("ServerFigures", {"server": "ServerFiguresServer", "registered": "bool", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "NotRequired[dict[str, str]]", "previous": "NotRequired[CallFigures | None]"})
ServerRelease = TypedDict("ServerRelease", {"server": "ReleasedServer", "version": "str", "calls": "int", "error_rate": "float | None", "latency_ms": "Latency", "first_seen_at": "str", "last_seen_at": "str", "before": "ReleaseBefore | None"})
ServerReleaseList = TypedDict("ServerReleaseList", {"start": "str", "end": "str", "releases": "list[ServerRelease]"})
ServerSummary = TypedDict("ServerSummary", {"id": "str", "name": "str", "slug": "str"})
ServiceAccount = TypedDict("ServiceAccount", {"client_email": "str", "private_key": "str", "private_key_id": "NotRequired[str]", "token_uri": "NotRequired[str]"})
Session = TypedDict("Session", {"token": "NotRequired[str]", "token_type": "Literal['Bearer']", "expires_at": "str", "refresh_token": "NotRequired[str]", "user": "User", "workspaces": "list[WorkspaceSummary]"})
SessionCallServer = TypedDict("SessionCallServer", {"id": "str | None", "name": "str | None"})
SessionCall = TypedDict("SessionCall", {"trace_id": "str", "span_id": "str", "server": "SessionCallServer", "turn": "int", "kind": "Literal['tool_call', 'model_call']", "started_at": "str", "duration_ms": "float | None", "gap_ms": "float | None", "status": "str", "error_type": "str | None", "status_message": "str", "tool": "str | None", "provider": "str | None", "model": "str | None", "tokens": "TokenSums | None", "cost_nano_usd": "str | None", "cost_usd": "str | None", "cost_so_far_nano_usd": "str", "cost_so_far_usd": "str", "messages": "list[SessionMessage] | None", "time_to_first_token_ms": "float | None", "approval": "CallApproval | None", "attempts": "list[CallAttempt]"})
SessionFiguresAgent = TypedDict("SessionFiguresAgent", {"id": "str | None", "name": "str | None"})
SessionFigures = TypedDict("SessionFigures", {"session_id": "str", "is_derived": "bool", "agent": "SessionFiguresAgent", "user_id": "str | None", "client": "str | None", "ended_at": "str", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "NotRequired[dict[str, str]]", "previous": "NotRequired[CallFigures | None]"})
SessionMessage = TypedDict("SessionMessage", {"kind": "Literal['system', 'message', 'answer', 'arguments', 'result']", "role": "str | None", "text": "str", "cut": "bool"})
SessionShare = TypedDict("SessionShare", {"id": "str", "session_id": "str", "messages": "bool", "created_by": "str", "created_at": "str", "expires_at": "str"})
SessionShareList = TypedDict("SessionShareList", {"shares": "list[SessionShare]", "pagination": "Pagination"})
SettingsSignup = TypedDict("SettingsSignup", {"value": "Literal['open', 'invite', 'closed']", "source": "Literal['default', 'environment', 'stored']"})
SettingsLoopbackTargets = TypedDict("SettingsLoopbackTargets", {"value": "bool", "source": "Literal['default', 'environment', 'stored']"})
SettingsPrivateNetworks = TypedDict("SettingsPrivateNetworks", {"value": "list[str]", "source": "Literal['default', 'environment', 'stored']"})
SettingsStdioPrograms = TypedDict("SettingsStdioPrograms", {"value": "bool", "source": "Literal['default', 'environment', 'stored']"})
SettingsStdioProgramsDefault = TypedDict("SettingsStdioProgramsDefault", {"value": "bool", "source": "Literal['default', 'environment', 'stored']"})
Settings = TypedDict("Settings", {"signup": "SettingsSignup", "loopback_targets": "SettingsLoopbackTargets", "private_networks": "SettingsPrivateNetworks", "stdio_programs": "SettingsStdioPrograms", "stdio_programs_default": "SettingsStdioProgramsDefault"})
ShareOfInput = TypedDict("ShareOfInput", {"tokens": "int", "cost_nano_usd": "str", "cost_usd": "str"})
ShareOfRest = TypedDict("ShareOfRest", {"tokens": "int", "cost_nano_usd": "str", "cost_usd": "str"})
ShareOfResults = TypedDict("ShareOfResults", {"tokens": "int", "cost_nano_usd": "str", "cost_usd": "str", "carried": "int"})
SharedCallServer = TypedDict("SharedCallServer", {"name": "str | None"})
SharedCall = TypedDict("SharedCall", {"server": "SharedCallServer", "turn": "int", "kind": "Literal['tool_call', 'model_call']", "started_at": "str", "duration_ms": "float | None", "gap_ms": "float | None", "status": "str", "error_type": "str | None", "status_message": "str", "tool": "str | None", "provider": "str | None", "model": "str | None", "tokens": "TokenSums | None", "cost_nano_usd": "str | None", "cost_usd": "str | None", "cost_so_far_nano_usd": "str", "cost_so_far_usd": "str", "messages": "list[SessionMessage] | None"})
SharedSession = TypedDict("SharedSession", {"expires_at": "str", "started_at": "str", "ended_at": "str", "calls": "list[SharedCall]", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "conversation": "Literal['recorded', 'not_recorded', 'not_allowed', 'not_shared']", "next_cursor": "str | None"})
SharingSetting = TypedDict("SharingSetting", {"enabled": "bool"})
SignInMethods = TypedDict("SignInMethods", {"password": "bool", "providers": "list[SignInProvider]", "signup": "Literal['open', 'invite', 'closed']", "setup_required": "bool"})
SignInProvider = TypedDict("SignInProvider", {"id": "str", "label": "str"})
SigningKey = TypedDict("SigningKey", {"id": "str", "status": "Literal['next', 'signing', 'verifying']", "created_at": "str"})
SigningKeyList = TypedDict("SigningKeyList", {"signing_keys": "list[SigningKey]"})
SimulatedGroup = TypedDict("SimulatedGroup", {"change": "Literal['newly_denied', 'newly_allowed', 'unknown']", "agent": "RecordedAgent", "server": "RecordedServer", "tool": "str", "calls": "int", "first_at": "str", "last_at": "str", "reason_before": "Literal['granted_all', 'granted_selected', 'granted_constrained', 'granted_on_approval', 'agent_unknown', 'agent_not_active', 'server_unknown', 'server_inactive', 'no_grant', 'grant_expired', 'grant_disabled', 'tool_not_selected', 'denied_by_hint', 'prompt_not_selected', 'resource_not_selected', 'arguments_refused', 'approval_required', 'definition_changed', 'undecidable']", "reason_after": "Literal['granted_all', 'granted_selected', 'granted_constrained', 'granted_on_approval', 'agent_unknown', 'agent_not_active', 'server_unknown', 'server_inactive', 'no_grant', 'grant_expired', 'grant_disabled', 'tool_not_selected', 'denied_by_hint', 'prompt_not_selected', 'resource_not_selected', 'arguments_refused', 'approval_required', 'definition_changed', 'undecidable']", "sample_trace_ids": "list[str]"})
Simulation = TypedDict("Simulation", {"start": "str", "end": "str", "totals": "SimulationTotals", "groups": "list[SimulatedGroup]", "truncated": "bool"})
SimulationTotals = TypedDict("SimulationTotals", {"calls": "int", "newly_denied": "int", "newly_allowed": "int", "unknown": "int", "unchanged": "int", "without_server": "int"})
SlackMember = TypedDict("SlackMember", {"slack_user_id": "str", "email": "str"})
Span = TypedDict("Span", {"trace_id": "str", "span_id": "str", "parent_span_id": "str | None", "name": "str", "source": "Literal['otlp', 'gateway', 'model_proxy']", "kind": "Literal['tool_call', 'mcp', 'model_call', 'other']", "status": "Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset']", "status_message": "str", "error_type": "str | None", "started_at": "str", "start_time_unix_nano": "str", "duration_ms": "float", "duration_nano": "str", "service_name": "str | None", "agent": "SpanAgent | None", "agent_name": "str | None", "server": "SpanServer | None", "server_name": "str | None", "tool": "str | None", "mcp_method": "str | None", "session_id": "str | None", "user_id": "str | None", "client": "str | None", "connection": "str | None", "provider": "str | None", "model_requested": "str | None", "model": "str | None", "tokens": "Tokens", "usage_source": "Literal['reported', 'estimated', 'missing'] | None", "cost_nano_usd": "str | None", "cost_usd": "str | None", "cost_source": "Literal['computed', 'reported'] | None", "ledger": "list[LedgerEntry]", "time_to_first_token_ms": "float | None", "http_status": "int | None", "dialect": "str | None", "mapper_version": "int | None", "request_bytes": "int", "response_bytes": "int", "attributes": "dict[str, Any]", "resource": "dict[str, Any]", "events": "list[SpanEvent]", "links": "list[SpanLink]", "span_kind": "Literal['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']", "trace_state": "str", "flags": "int", "scope": "SpanScope", "resource_schema_url": "str", "dropped": "DroppedParts"})
SpanAgent = TypedDict("SpanAgent", {"uuid": "str", "name": "str"})
SpanEvent = TypedDict("SpanEvent", {"timeUnixNano": "str", "name": "str", "attributes": "NotRequired[list[OtlpKeyValue]]", "droppedAttributesCount": "NotRequired[int]"})
SpanLink = TypedDict("SpanLink", {"traceId": "str", "spanId": "str", "traceState": "NotRequired[str]", "attributes": "NotRequired[list[OtlpKeyValue]]", "droppedAttributesCount": "NotRequired[int]", "flags": "NotRequired[int]"})
SpanList = TypedDict("SpanList", {"spans": "list[Span]", "next_cursor": "str | None"})
SpanScope = TypedDict("SpanScope", {"name": "str", "version": "str", "schema_url": "str"})
SpanServer = TypedDict("SpanServer", {"id": "str", "name": "str"})
SpotlightAgents = TypedDict("SpotlightAgents", {"start": "str", "end": "str", "agents": "list[AgentFigures]", "total": "int"})
SpotlightAmbiguous = TypedDict("SpotlightAmbiguous", {"start": "str", "end": "str", "ambiguous": "list[AmbiguousView]", "total": "int"})
SpotlightClients = TypedDict("SpotlightClients", {"start": "str", "end": "str", "clients": "list[ClientFigures]", "total": "int"})
SpotlightErrors = TypedDict("SpotlightErrors", {"start": "str", "end": "str", "errors": "list[ErrorFigures]", "total": "int"})
SpotlightFacets = TypedDict("SpotlightFacets", {"start": "str", "end": "str", "facets": "list[Facet]"})
SpotlightModels = TypedDict("SpotlightModels", {"start": "str", "end": "str", "models": "list[ModelFigures]", "total": "int"})
SpotlightOverview = TypedDict("SpotlightOverview", {"start": "str", "end": "str", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "ambiguous_calls": "int", "previous": "NotRequired[CallFigures]", "groups": "NotRequired[list[UsageFigures]]"})
SpotlightPrompts = TypedDict("SpotlightPrompts", {"start": "str", "end": "str", "prompts": "list[PromptFigures]", "total": "int"})
SpotlightResources = TypedDict("SpotlightResources", {"start": "str", "end": "str", "resources": "list[ResourceFigures]", "total": "int"})
SpotlightScores = TypedDict("SpotlightScores", {"start": "str", "end": "str", "scores": "list[ScoreFigures]"})
SpotlightServers = TypedDict("SpotlightServers", {"start": "str", "end": "str", "servers": "list[ServerFigures]", "total": "int"})
SpotlightSessionAgent = TypedDict("SpotlightSessionAgent", {"id": "str | None", "name": "str | None"})
SpotlightSession = TypedDict("SpotlightSession", {"session_id": "str", "is_derived": "bool", "agent": "SpotlightSessionAgent", "user_id": "str | None", "client": "str | None", "started_at": "str", "ended_at": "str", "calls": "list[SessionCall]", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "conversation": "Literal['recorded', 'not_recorded', 'not_allowed', 'not_shared']", "next_cursor": "str | None"})
SpotlightSessions = TypedDict("SpotlightSessions", {"start": "str", "end": "str", "sessions": "list[SessionFigures]", "total": "int"})
SpotlightTools = TypedDict("SpotlightTools", {"start": "str", "end": "str", "tools": "list[ToolFigures]", "total": "int"})
SpotlightUsage = TypedDict("SpotlightUsage", {"start": "str", "end": "str", "usage": "list[UsageFigures]", "total": "int"})
SpotlightUsers = TypedDict("SpotlightUsers", {"start": "str", "end": "str", "users": "list[UserFigures]", "total": "int"})
Status = TypedDict("Status", {"status": "str"})
SuggestedChangeToolsItem = TypedDict("SuggestedChangeToolsItem", {"server_id": "str", "tools": "list[str]"})
SuggestedChange = TypedDict("SuggestedChange", {"op": "NotRequired[Literal['update', 'delete']]", "server_id": "NotRequired[str]", "agent_uuid": "NotRequired[str]", "access_mode": "NotRequired[Literal['all', 'selected']]", "allowed_tools": "NotRequired[list[str]]", "toolset_id": "NotRequired[str]", "tools": "NotRequired[list[SuggestedChangeToolsItem]]"})
SuggestionEvidence = TypedDict("SuggestionEvidence", {"days": "int", "calls": "int", "last_used_at": "str | None", "tools_used": "list[ToolUse]", "tools_unused": "list[str]", "given_at": "str | None", "changed_at": "str | None"})
TelemetryFacets = TypedDict("TelemetryFacets", {"start": "str", "end": "str", "facets": "list[Facet]"})
TelemetryResource = TypedDict("TelemetryResource", {"service_name": "str | None", "service_namespace": "str | None", "service_version": "str | None", "environment": "str | None", "spans": "int", "log_records": "int", "data_points": "int", "first_seen_at": "str", "last_seen_at": "str"})
TelemetryResourceList = TypedDict("TelemetryResourceList", {"resources": "list[TelemetryResource]", "next_cursor": "str | None"})
TimeBetween = TypedDict("TimeBetween", {"outer": "Literal['client', 'gateway', 'server']", "inner": "Literal['client', 'gateway', 'server']", "duration_ms": "float"})
TimeBucket = TypedDict("TimeBucket", {"start": "str", "calls": "int", "errors": "int", "tool_calls": "int", "model_calls": "int", "latency_ms": "Latency", "total_tokens": "int", "cost_nano_usd": "str", "cost_usd": "str"})
TimeSeriesGroup = TypedDict("TimeSeriesGroup", {"group": "dict[str, str]", "buckets": "list[TimeBucket]"})
Timeseries = TypedDict("Timeseries", {"start": "str", "end": "str", "interval_ms": "int", "buckets": "list[TimeBucket]", "series": "NotRequired[list[TimeSeriesGroup]]", "previous_buckets": "NotRequired[list[TimeBucket]]"})
TokenSums = TypedDict("TokenSums", {"input": "int", "cache_read": "int", "cache_write": "int", "output": "int", "reasoning": "int"})
Tokens = TypedDict("Tokens", {"input": "int", "cache_read": "int", "cache_write": "int", "output": "int", "reasoning": "int"})
Tool = TypedDict("Tool", {"name": "str", "title": "str | None", "description": "str", "input_schema": "Any", "output_schema": "Any", "annotations": "Any", "hash": "str", "pin": "Literal['open', 'kept', 'suspended']", "definition_tokens": "int | None"})
ToolAccess = TypedDict("ToolAccess", {"name": "str", "allowed": "bool", "reason": "Literal['granted_all', 'granted_selected', 'granted_constrained', 'granted_on_approval', 'agent_unknown', 'agent_not_active', 'server_unknown', 'server_inactive', 'no_grant', 'grant_expired', 'grant_disabled', 'tool_not_selected', 'denied_by_hint', 'prompt_not_selected', 'resource_not_selected', 'arguments_refused', 'approval_required', 'definition_changed', 'undecidable']", "text": "str"})
ToolApprovalDataServer = TypedDict("ToolApprovalDataServer", {"id": "str", "name": "str"})
ToolApprovalDataToolsItem = TypedDict("ToolApprovalDataToolsItem", {"tool": "str", "hash": "str"})
ToolApprovalData = TypedDict("ToolApprovalData", {"server": "ToolApprovalDataServer", "count": "int", "tools": "list[ToolApprovalDataToolsItem]"})
ToolCallError = TypedDict("ToolCallError", {"code": "int", "message": "str", "data": "NotRequired[Any]"})
ToolCallResult = TypedDict("ToolCallResult", {"result": "Any", "error": "ToolCallError | None", "is_error": "bool", "duration_ms": "float", "trace_id": "str"})
ToolChangeDataServer = TypedDict("ToolChangeDataServer", {"id": "str", "name": "str"})
ToolChangeDataToolsItem = TypedDict("ToolChangeDataToolsItem", {"tool": "str", "change": "Literal['added', 'changed', 'removed']", "hash": "str | None", "state": "str | None", "reason": "str | None"})
ToolChangeData = TypedDict("ToolChangeData", {"server": "ToolChangeDataServer", "count": "int", "tools": "list[ToolChangeDataToolsItem]"})
ToolCostAgent = TypedDict("ToolCostAgent", {"id": "str | None", "name": "str | None"})
ToolCost = TypedDict("ToolCost", {"server": "str | None", "tool": "str | None", "agent": "ToolCostAgent | None", "requests": "int", "uses": "int", "definitions": "ShareOfInput", "results": "ShareOfResults", "tokens": "int", "cost_nano_usd": "str", "cost_usd": "str"})
ToolCostList = TypedDict("ToolCostList", {"start": "str", "end": "str", "requests": "int", "unpriced_requests": "int", "input": "ShareOfInput", "rest": "ShareOfRest", "total": "int", "tool_costs": "list[ToolCost]"})
ToolFiguresServer = TypedDict("ToolFiguresServer", {"id": "str | None", "name": "str | None"})
ToolFigures = TypedDict("ToolFigures", {"server": "ToolFiguresServer", "tool": "str", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "NotRequired[dict[str, str]]", "previous": "NotRequired[CallFigures | None]"})
ToolLink = TypedDict("ToolLink", {"tool_use_id": "str | None", "name": "str", "asked_at": "str", "asked_by": "ToolLinkAsked", "runs": "list[ToolLinkRun]", "confidence": "Literal['exact', 'strong', 'weak'] | None", "returned_in": "ToolLinkReturned | None"})
ToolLinkAsked = TypedDict("ToolLinkAsked", {"trace_id": "str", "span_id": "str"})
ToolLinkReturned = TypedDict("ToolLinkReturned", {"trace_id": "str", "span_id": "str"})
ToolLinkRun = TypedDict("ToolLinkRun", {"trace_id": "str", "span_id": "str", "status": "str"})
ToolLinks = TypedDict("ToolLinks", {"session_id": "str", "tool_links": "list[ToolLink]"})
ToolList = TypedDict("ToolList", {"tools": "list[Tool]", "definition_tokens": "int | None", "refreshed_at": "str | None", "pending": "str | None"})
ToolOverlap = TypedDict("ToolOverlap", {"first": "OverlappingTool", "second": "OverlappingTool", "same_name": "bool", "name_similarity": "float", "description_similarity": "float"})
ToolOverlaps = TypedDict("ToolOverlaps", {"start": "str", "end": "str", "overlaps": "list[ToolOverlap]", "total": "int", "truncated": "bool"})
ToolSelection = TypedDict("ToolSelection", {"start": "str", "end": "str", "tool_selection": "list[SelectedTool]", "total": "int", "truncated": "bool"})
ToolUse = TypedDict("ToolUse", {"tool": "str", "calls": "int", "last_used_at": "str"})
ToolsOfServer = TypedDict("ToolsOfServer", {"server_id": "str", "tools": "list[str]"})
Toolset = TypedDict("Toolset", {"id": "str", "name": "str", "description": "str", "tools": "list[ToolsOfServer]", "groups": "list[str]", "agent_count": "int", "created_at": "str", "updated_at": "str", "warnings": "list[str]"})
ToolsetList = TypedDict("ToolsetList", {"toolsets": "list[Toolset]", "pagination": "Pagination"})
ToolsetPreview = TypedDict("ToolsetPreview", {"agents_changed": "int", "tools_gained": "int", "tools_lost": "int", "changes": "list[AccessDifference]"})
Trace = TypedDict("Trace", {"trace_id": "str", "trace_ids": "list[str]", "spans": "list[Span]", "scores": "list[Score]", "tool_links": "list[ToolLink]", "next_cursor": "str | None"})
TraceList = TypedDict("TraceList", {"traces": "list[TraceSummary]", "next_cursor": "str | None"})
TraceSummary = TypedDict("TraceSummary", {"trace_id": "str", "name": "str", "started_at": "str", "duration_ms": "float", "spans": "int", "errors": "int", "services": "list[str]", "session_id": "str | None", "user_id": "str | None", "trace_ids": "list[str]"})
UnpricedModel = TypedDict("UnpricedModel", {"connection": "str", "provider": "str", "model": "str", "calls": "int", "tokens": "int", "last_at": "str"})
UnpricedModelList = TypedDict("UnpricedModelList", {"models": "list[UnpricedModel]"})
UnregisteredServer = TypedDict("UnregisteredServer", {"seen_as": "str", "name": "str", "registered_as": "McpQuestionRef | None", "calls": "int", "errors": "int", "tools": "int", "callers": "list[str]", "first_seen_at": "str", "last_seen_at": "str", "trace_id": "str"})
UnregisteredServers = TypedDict("UnregisteredServers", {"start": "str", "end": "str", "unregistered_servers": "list[UnregisteredServer]", "total": "int", "truncated": "bool"})
UpstreamAuth = TypedDict("UpstreamAuth", {"mode": "Literal['none', 'authorization_code', 'client_credentials']", "owner": "Literal['workspace', 'agent', 'user']", "issuer": "str | None", "client_id": "str | None", "scope": "str | None", "has_client_secret": "bool", "redirect_uri": "str"})
UpstreamConnection = TypedDict("UpstreamConnection", {"id": "str", "owner": "Literal['workspace', 'agent', 'user']", "owner_id": "str | None", "issuer": "str", "scope": "str | None", "status": "Literal['active', 'needs_consent']", "expires_at": "str | None", "created_at": "str", "updated_at": "str"})
UpstreamConnectionList = TypedDict("UpstreamConnectionList", {"connections": "list[UpstreamConnection]"})
UpstreamConsent = TypedDict("UpstreamConsent", {"url": "str"})
UsageFigures = TypedDict("UsageFigures", {"calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "dict[str, str]", "previous": "NotRequired[CallFigures | None]"})
User = TypedDict("User", {"id": "str", "email": "str", "name": "str", "verified": "bool", "time_zone": "str | None"})
UserFigures = TypedDict("UserFigures", {"user_id": "str | None", "calls": "int", "errors": "int", "error_rate": "float | None", "latency_ms": "Latency", "tool_calls": "int", "model_calls": "int", "tokens": "TokenSums", "cost_nano_usd": "str", "cost_usd": "str", "unpriced_calls": "int", "sessions": "int", "users": "int", "first_seen_at": "str", "last_seen_at": "str", "group": "NotRequired[dict[str, str]]", "previous": "NotRequired[CallFigures | None]"})
VerifiedAddress = TypedDict("VerifiedAddress", {"email": "str"})
Version = TypedDict("Version", {"version": "str"})
VertexCredential = TypedDict("VertexCredential", {"service_account": "ServiceAccount", "project": "str", "location": "str"})
Webhook = TypedDict("Webhook", {"id": "str", "format": "Literal['standard', 'slack', 'teams', 'pagerduty', 'discord']", "answers_approvals": "bool", "disabled_reason": "str | None", "failing_since": "str | None", "old_secret_expires_at": "str | None", "created_at": "str", "updated_at": "str", "url": "str", "description": "str", "events": "list[str]", "enabled": "bool", "slack_members": "list[SlackMember]"})
WebhookList = TypedDict("WebhookList", {"webhooks": "list[Webhook]", "pagination": "Pagination"})
WebhookTestData = TypedDict("WebhookTestData", {"webhook_id": "str"})
Workspace = TypedDict("Workspace", {"id": "str", "slug": "str", "role": "Literal['viewer', 'auditor', 'member', 'admin', 'owner']", "created_at": "str", "updated_at": "str", "name": "str"})
WorkspaceList = TypedDict("WorkspaceList", {"workspaces": "list[Workspace]", "pagination": "Pagination"})
WorkspaceRights = TypedDict("WorkspaceRights", {"stdio": "bool"})
WorkspaceSummary = TypedDict("WorkspaceSummary", {"id": "str", "name": "str", "slug": "str", "role": "Literal['viewer', 'auditor', 'member', 'admin', 'owner']"})
ServersCreateBody = TypedDict("ServersCreateBody", {"name": "str", "slug": "NotRequired[str]", "url": "NotRequired[str]", "command": "NotRequired[str]", "args": "NotRequired[list[str]]", "env": "NotRequired[dict[str, str]]", "transport_type": "NotRequired[Literal['http', 'sse', 'stdio']]", "description": "NotRequired[str]", "headers": "NotRequired[dict[str, str]]", "configuration": "NotRequired[dict[str, Any]]", "call_limits": "NotRequired[dict[str, CallLimits]]", "max_result_bytes": "NotRequired[int | None]", "tool_prefix": "NotRequired[str | None]", "tool_aliases": "NotRequired[dict[str, str]]", "definition_policy": "NotRequired[Literal['allow', 'keep-approved', 'suspend']]"})
ServersReplaceBody = TypedDict("ServersReplaceBody", {"id": "NotRequired[str]", "slug": "NotRequired[str]", "transport_type": "NotRequired[Literal['http', 'sse', 'stdio']]", "hosting_mode": "NotRequired[Literal['remote', 'hosted']]", "health_status": "NotRequired[Literal['unknown', 'healthy', 'degraded', 'unhealthy']]", "health_error": "NotRequired[str | None]", "tools_pending": "NotRequired[str | None]", "last_health_check": "NotRequired[str]", "header_names": "NotRequired[list[str]]", "env_names": "NotRequired[list[str]]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "agent_access": "NotRequired[list[AgentAccess]]", "url": "NotRequired[str]", "endpoint_url": "NotRequired[str]", "command": "NotRequired[str | None]", "args": "NotRequired[list[str]]", "env": "NotRequired[dict[str, str]]", "status": "NotRequired[Literal['active', 'inactive', 'deploying', 'error']]", "description": "NotRequired[str]", "headers": "NotRequired[dict[str, str]]", "configuration": "NotRequired[dict[str, Any]]", "call_limits": "NotRequired[dict[str, CallLimits]]", "max_result_bytes": "NotRequired[int | None]", "tool_prefix": "NotRequired[str | None]", "tool_aliases": "NotRequired[dict[str, str]]", "definition_policy": "NotRequired[Literal['allow', 'keep-approved', 'suspend']]", "name": "str"})
ServersUpdateBody = TypedDict("ServersUpdateBody", {"id": "NotRequired[str]", "slug": "NotRequired[str]", "transport_type": "NotRequired[Literal['http', 'sse', 'stdio']]", "hosting_mode": "NotRequired[Literal['remote', 'hosted']]", "health_status": "NotRequired[Literal['unknown', 'healthy', 'degraded', 'unhealthy']]", "health_error": "NotRequired[str | None]", "tools_pending": "NotRequired[str | None]", "last_health_check": "NotRequired[str]", "header_names": "NotRequired[list[str]]", "env_names": "NotRequired[list[str]]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "agent_access": "NotRequired[list[AgentAccess]]", "url": "NotRequired[str]", "endpoint_url": "NotRequired[str]", "command": "NotRequired[str | None]", "args": "NotRequired[list[str]]", "env": "NotRequired[dict[str, str]]", "status": "NotRequired[Literal['active', 'inactive', 'deploying', 'error']]", "description": "NotRequired[str]", "headers": "NotRequired[dict[str, str]]", "configuration": "NotRequired[dict[str, Any]]", "call_limits": "NotRequired[dict[str, CallLimits]]", "max_result_bytes": "NotRequired[int | None]", "tool_prefix": "NotRequired[str | None]", "tool_aliases": "NotRequired[dict[str, str]]", "definition_policy": "NotRequired[Literal['allow', 'keep-approved', 'suspend']]", "name": "NotRequired[str]"})
ServersCallToolBody = TypedDict("ServersCallToolBody", {"arguments": "NotRequired[dict[str, Any]]", "agent_uuid": "NotRequired[str]"})
ServersImportBody = TypedDict("ServersImportBody", {"mcpServers": "NotRequired[dict[str, Any]]", "servers": "NotRequired[dict[str, Any]]", "inputs": "NotRequired[list[Any]]"})
ToolDefinitionsDecideBodyDecisionsItem = TypedDict("ToolDefinitionsDecideBodyDecisionsItem", {"name": "str", "hash": "str", "decision": "Literal['approve', 'reject']"})
ToolDefinitionsDecideBody = TypedDict("ToolDefinitionsDecideBody", {"decisions": "list[ToolDefinitionsDecideBodyDecisionsItem]"})
ServersUpdateProgramBodyProcessesItem = TypedDict("ServersUpdateProgramBodyProcessesItem", {"pid": "int | None", "started_at": "str", "sessions": "int", "shared": "bool"})
ServersUpdateProgramBody = TypedDict("ServersUpdateProgramBody", {"state": "NotRequired[Literal['stopped', 'running', 'waiting']]", "processes": "NotRequired[list[ServersUpdateProgramBodyProcessesItem]]", "starts": "NotRequired[int]", "failures": "NotRequired[int]", "last_end": "NotRequired[str | None]", "next_start_at": "NotRequired[str | None]", "sandbox": "NotRequired[Literal['bubblewrap', 'none']]", "sandbox_missing": "NotRequired[str | None]", "package": "NotRequired[ProgramPackage | None]", "install_error": "NotRequired[str | None]", "limits": "NotRequired[ProgramLimits]", "fingerprint": "NotRequired[str]", "acceptance_sentence": "NotRequired[str]", "accepted": "NotRequired[ProgramAcceptance | None]", "accepted_without_sandbox": "NotRequired[ProgramAcceptance | None]", "allowed_hosts": "NotRequired[list[str]]"})
ServersAcceptWithoutSandboxBody = TypedDict("ServersAcceptWithoutSandboxBody", {"sentence": "str"})
AgentsCreateBody = TypedDict("AgentsCreateBody", {"name": "str", "description": "NotRequired[str]", "groups": "NotRequired[list[str]]", "model_access": "NotRequired[ModelAccess]", "call_limits": "NotRequired[CallLimits | None]", "tool_listing": "NotRequired[Literal['all', 'search', 'auto']]", "tool_face": "NotRequired[Literal['all', 'search', 'auto']]"})
AgentsUpdateBody = TypedDict("AgentsUpdateBody", {"uuid": "NotRequired[str]", "id": "NotRequired[str]", "status": "NotRequired[Literal['active', 'paused', 'stopped', 'error']]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "mcp_server_count": "NotRequired[int]", "last_seen_at": "NotRequired[str | None]", "warnings": "NotRequired[list[str]]", "name": "NotRequired[str]", "description": "NotRequired[str]", "groups": "NotRequired[list[str]]", "model_access": "NotRequired[ModelAccess]", "call_limits": "NotRequired[CallLimits | None]", "tool_listing": "NotRequired[Literal['all', 'search', 'auto']]", "tool_face": "NotRequired[Literal['all', 'search', 'auto']]"})
AgentsCreateKeyBody = TypedDict("AgentsCreateKeyBody", {"name": "str", "expires_at": "NotRequired[str | None]", "allowed_addresses": "NotRequired[list[str] | None]", "on_disconnect": "NotRequired[Literal['abort', 'drain', 'detach']]"})
AccessCreateBody = TypedDict("AccessCreateBody", {"agent_uuid": "str", "access_mode": "NotRequired[Literal['all', 'selected']]", "allowed_tools": "NotRequired[list[str] | None]", "allowed_prompts": "NotRequired[list[str] | None]", "allowed_resources": "NotRequired[list[str] | None]", "enabled": "NotRequired[bool]", "expires_at": "NotRequired[str | None]", "constraints": "NotRequired[dict[str, Any]]", "approval": "NotRequired[dict[str, Literal['ask']]]", "approver": "NotRequired[Literal['workspace', 'caller']]", "approval_wait_ms": "NotRequired[int | None]", "denied_hints": "NotRequired[list[Literal['destructiveHint', 'openWorldHint']]]", "call_limits": "NotRequired[dict[str, CallLimits]]"})
AccessUpdateBody = TypedDict("AccessUpdateBody", {"id": "NotRequired[str]", "server_id": "NotRequired[str]", "agent_uuid": "NotRequired[str]", "source": "NotRequired[GrantSource]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "warnings": "NotRequired[list[str]]", "access_mode": "NotRequired[Literal['all', 'selected']]", "allowed_tools": "NotRequired[list[str] | None]", "allowed_prompts": "NotRequired[list[str] | None]", "allowed_resources": "NotRequired[list[str] | None]", "enabled": "NotRequired[bool]", "expires_at": "NotRequired[str | None]", "constraints": "NotRequired[dict[str, Any]]", "approval": "NotRequired[dict[str, Literal['ask']]]", "approver": "NotRequired[Literal['workspace', 'caller']]", "approval_wait_ms": "NotRequired[int | None]", "denied_hints": "NotRequired[list[Literal['destructiveHint', 'openWorldHint']]]", "call_limits": "NotRequired[dict[str, CallLimits]]"})
ToolsetsCreateBodyToolsItem = TypedDict("ToolsetsCreateBodyToolsItem", {"server_id": "str", "tools": "list[str] | Literal['*']"})
ToolsetsCreateBody = TypedDict("ToolsetsCreateBody", {"name": "str", "description": "NotRequired[str]", "tools": "NotRequired[list[ToolsetsCreateBodyToolsItem]]", "groups": "NotRequired[list[str]]"})
ToolsetsUpdateBodyToolsItem = TypedDict("ToolsetsUpdateBodyToolsItem", {"server_id": "str", "tools": "list[str] | Literal['*']"})
ToolsetsUpdateBody = TypedDict("ToolsetsUpdateBody", {"id": "NotRequired[str]", "agent_count": "NotRequired[int]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "warnings": "NotRequired[list[str]]", "name": "NotRequired[str]", "description": "NotRequired[str]", "tools": "NotRequired[list[ToolsetsUpdateBodyToolsItem]]", "groups": "NotRequired[list[str]]"})
ToolsetsPreviewBodyToolsItem = TypedDict("ToolsetsPreviewBodyToolsItem", {"server_id": "str", "tools": "list[str] | Literal['*']"})
ToolsetsPreviewBody = TypedDict("ToolsetsPreviewBody", {"tools": "NotRequired[list[ToolsetsPreviewBodyToolsItem]]", "groups": "NotRequired[list[str]]"})
AccessReviewSimulateBody = TypedDict("AccessReviewSimulateBody", {"changes": "list[ProposedGrant | ProposedRemoval | ProposedToolset]", "days": "NotRequired[int]"})
ApprovalsApproveBody = TypedDict("ApprovalsApproveBody", {"for_minutes": "NotRequired[int]", "reason": "NotRequired[str]"})
ApprovalsDenyBody = TypedDict("ApprovalsDenyBody", {"reason": "NotRequired[str]"})
AccessRequestsCreateBody = TypedDict("AccessRequestsCreateBody", {"agent_uuid": "str", "server": "str", "tool": "NotRequired[str]", "reason": "NotRequired[str]"})
KeysCreateBody = TypedDict("KeysCreateBody", {"name": "str", "expires_at": "NotRequired[str | None]", "allowed_addresses": "NotRequired[list[str] | None]", "on_disconnect": "NotRequired[Literal['abort', 'drain', 'detach']]", "scopes": "NotRequired[list[Literal['agents:read', 'agents:write', 'servers:read', 'servers:write', 'access:read', 'access:write', 'keys:read', 'keys:write', 'provider-keys:read', 'provider-keys:write', 'webhooks:read', 'webhooks:write', 'forwarders:read', 'forwarders:write', 'alerts:read', 'alerts:write', 'budgets:read', 'budgets:write', 'programs:write', 'spotlight:read', 'telemetry:read', 'audit:read', 'approvals:decide', 'proxy:invoke', 'mcp:invoke']]]", "agent_uuid": "NotRequired[str]"})
KeysUpdateBody = TypedDict("KeysUpdateBody", {"id": "NotRequired[str]", "prefix": "NotRequired[str]", "last4": "NotRequired[str]", "status": "NotRequired[Literal['active', 'revoked', 'expired']]", "created_at": "NotRequired[str]", "last_used_at": "NotRequired[str | None]", "rotation": "NotRequired[Rotation | None]", "name": "NotRequired[str]", "expires_at": "NotRequired[str | None]", "allowed_addresses": "NotRequired[list[str] | None]", "scopes": "NotRequired[list[Literal['agents:read', 'agents:write', 'servers:read', 'servers:write', 'access:read', 'access:write', 'keys:read', 'keys:write', 'provider-keys:read', 'provider-keys:write', 'webhooks:read', 'webhooks:write', 'forwarders:read', 'forwarders:write', 'alerts:read', 'alerts:write', 'budgets:read', 'budgets:write', 'programs:write', 'spotlight:read', 'telemetry:read', 'audit:read', 'approvals:decide', 'proxy:invoke', 'mcp:invoke']]]", "agent_uuid": "NotRequired[str | None]", "on_disconnect": "NotRequired[Literal['abort', 'drain', 'detach']]"})
KeysRotateBody = TypedDict("KeysRotateBody", {"grace_s": "NotRequired[int]"})
IngestTokensCreateBody = TypedDict("IngestTokensCreateBody", {"name": "str", "expires_at": "NotRequired[str | None]", "allowed_addresses": "NotRequired[list[str] | None]"})
IngestTokensUpdateBody = TypedDict("IngestTokensUpdateBody", {"id": "NotRequired[str]", "prefix": "NotRequired[str]", "last4": "NotRequired[str]", "status": "NotRequired[Literal['active', 'revoked', 'expired']]", "created_at": "NotRequired[str]", "last_used_at": "NotRequired[str | None]", "rotation": "NotRequired[Rotation | None]", "name": "NotRequired[str]", "expires_at": "NotRequired[str | None]", "allowed_addresses": "NotRequired[list[str] | None]"})
IngestTokensRotateBody = TypedDict("IngestTokensRotateBody", {"grace_s": "NotRequired[int]"})
AuthorizationsConsentBody = TypedDict("AuthorizationsConsentBody", {"request": "str"})
AuthorizationsDecideBody = TypedDict("AuthorizationsDecideBody", {"request": "str", "decision": "Literal['approve', 'deny']", "agent_uuid": "NotRequired[str]"})
UpstreamCredentialsReplaceBody = TypedDict("UpstreamCredentialsReplaceBody", {"mode": "Literal['none', 'authorization_code', 'client_credentials']", "owner": "NotRequired[Literal['workspace', 'agent', 'user']]", "issuer": "NotRequired[str | None]", "client_id": "NotRequired[str | None]", "client_secret": "NotRequired[str]", "scope": "NotRequired[str | None]", "has_client_secret": "NotRequired[bool]", "redirect_uri": "NotRequired[str]"})
UpstreamCredentialsAuthorizeBody = TypedDict("UpstreamCredentialsAuthorizeBody", {"agent_uuid": "NotRequired[str]", "scope": "NotRequired[str]"})
ProviderKeysCreateBody = TypedDict("ProviderKeysCreateBody", {"name": "str", "provider": "Literal['openai', 'anthropic', 'openai_compatible', 'gemini', 'azure_openai', 'vertex', 'bedrock']", "key": "NotRequired[str]", "credential": "NotRequired[AwsCredential | VertexCredential]", "base_url": "NotRequired[str]", "record_bodies": "NotRequired[bool]", "inject_usage": "NotRequired[bool]", "priced_as": "NotRequired[Literal['openai', 'anthropic', 'openai_compatible', 'gemini', 'azure_openai', 'vertex', 'bedrock', 'openrouter', 'mistral_ai', 'groq', 'deepseek', 'x_ai', 'cerebras', 'cohere', 'fireworks', 'together', 'perplexity', 'moonshot_ai', 'minimax', 'zai', 'voyageai'] | None]"})
ProviderKeysUpdateBody = TypedDict("ProviderKeysUpdateBody", {"id": "NotRequired[str]", "name": "NotRequired[str]", "provider": "NotRequired[Literal['openai', 'anthropic', 'openai_compatible', 'gemini', 'azure_openai', 'vertex', 'bedrock']]", "vendor": "NotRequired[Literal['openai', 'anthropic', 'openai_compatible', 'gemini', 'azure_openai', 'vertex', 'bedrock', 'openrouter', 'mistral_ai', 'groq', 'deepseek', 'x_ai', 'cerebras', 'cohere', 'fireworks', 'together', 'perplexity', 'moonshot_ai', 'minimax', 'zai', 'voyageai']]", "last4": "NotRequired[str | None]", "status": "NotRequired[Literal['active', 'secret_missing']]", "last_used_at": "NotRequired[str | None]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "key": "NotRequired[str]", "credential": "NotRequired[AwsCredential | VertexCredential]", "base_url": "NotRequired[str]", "record_bodies": "NotRequired[bool]", "inject_usage": "NotRequired[bool]", "priced_as": "NotRequired[Literal['openai', 'anthropic', 'openai_compatible', 'gemini', 'azure_openai', 'vertex', 'bedrock', 'openrouter', 'mistral_ai', 'groq', 'deepseek', 'x_ai', 'cerebras', 'cohere', 'fireworks', 'together', 'perplexity', 'moonshot_ai', 'minimax', 'zai', 'voyageai'] | None]"})
RoutesCreateBodyTargetsItem = TypedDict("RoutesCreateBodyTargetsItem", {"connection": "str", "model": "NotRequired[str | None]", "weight": "NotRequired[int]", "for_models": "NotRequired[list[str]]"})
RoutesCreateBody = TypedDict("RoutesCreateBody", {"name": "str", "targets": "list[RoutesCreateBodyTargetsItem]", "strategy": "NotRequired[Literal['ordered', 'weighted', 'least_latency']]", "retries": "NotRequired[int]", "first_token_timeout_ms": "NotRequired[int | None]", "idle_timeout_ms": "NotRequired[int | None]", "total_timeout_ms": "NotRequired[int | None]"})
RoutesUpdateBodyTargetsItem = TypedDict("RoutesUpdateBodyTargetsItem", {"connection": "str", "model": "NotRequired[str | None]", "weight": "NotRequired[int]", "for_models": "NotRequired[list[str]]"})
RoutesUpdateBody = TypedDict("RoutesUpdateBody", {"id": "NotRequired[str]", "name": "NotRequired[str]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "strategy": "NotRequired[Literal['ordered', 'weighted', 'least_latency']]", "retries": "NotRequired[int]", "first_token_timeout_ms": "NotRequired[int | None]", "idle_timeout_ms": "NotRequired[int | None]", "total_timeout_ms": "NotRequired[int | None]", "warnings": "NotRequired[list[str]]", "targets": "NotRequired[list[RoutesUpdateBodyTargetsItem]]"})
HooksCreateBody = TypedDict("HooksCreateBody", {"name": "str", "action": "Literal['deny', 'redact', 'webhook']", "stages": "list[Literal['request', 'response', 'stream']]", "pattern": "NotRequired[str]", "label": "NotRequired[str]", "url": "NotRequired[str]", "enabled": "NotRequired[bool]", "mode": "NotRequired[Literal['dry_run', 'enforce']]", "connections": "NotRequired[list[str]]", "models": "NotRequired[list[str]]", "agents": "NotRequired[list[str]]", "timeout_ms": "NotRequired[int]", "fail_mode": "NotRequired[Literal['open', 'closed']]"})
HooksUpdateBody = TypedDict("HooksUpdateBody", {"id": "NotRequired[str]", "action": "NotRequired[Literal['deny', 'redact', 'webhook']]", "old_secret_expires_at": "NotRequired[str | None]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "name": "NotRequired[str]", "enabled": "NotRequired[bool]", "mode": "NotRequired[Literal['dry_run', 'enforce']]", "stages": "NotRequired[list[Literal['request', 'response', 'stream']]]", "connections": "NotRequired[list[str]]", "models": "NotRequired[list[str]]", "agents": "NotRequired[list[str]]", "timeout_ms": "NotRequired[int]", "fail_mode": "NotRequired[Literal['open', 'closed']]", "pattern": "NotRequired[str | None]", "label": "NotRequired[str]", "url": "NotRequired[str | None]"})
BudgetsCreateBody = TypedDict("BudgetsCreateBody", {"name": "str", "scope": "Literal['workspace', 'agent', 'key', 'session', 'user']", "scope_id": "NotRequired[str | None]", "unit": "NotRequired[Literal['nano_usd', 'tokens']]", "limit": "str", "window": "Literal['hour', 'day', 'week', 'month', 'rolling']", "time_zone": "NotRequired[str]", "rolling_s": "NotRequired[int | None]", "mode": "NotRequired[Literal['hard', 'soft']]", "unpriced": "NotRequired[Literal['deny', 'allow', 'ceiling']]", "unpriced_ceiling": "NotRequired[str | None]", "thresholds": "NotRequired[list[int]]", "contact": "NotRequired[str]", "enabled": "NotRequired[bool]"})
BudgetsUpdateBody = TypedDict("BudgetsUpdateBody", {"id": "NotRequired[str]", "scope": "NotRequired[Literal['workspace', 'agent', 'key', 'session', 'user']]", "scope_id": "NotRequired[str | None]", "unit": "NotRequired[Literal['nano_usd', 'tokens']]", "window": "NotRequired[Literal['hour', 'day', 'week', 'month', 'rolling']]", "time_zone": "NotRequired[str]", "rolling_s": "NotRequired[int | None]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "name": "NotRequired[str]", "limit": "NotRequired[str]", "mode": "NotRequired[Literal['hard', 'soft']]", "unpriced": "NotRequired[Literal['deny', 'allow', 'ceiling']]", "unpriced_ceiling": "NotRequired[str | None]", "thresholds": "NotRequired[list[int]]", "contact": "NotRequired[str]", "enabled": "NotRequired[bool]", "state": "NotRequired[BudgetState | None]"})
ModelLimitsCreateBody = TypedDict("ModelLimitsCreateBody", {"scope": "Literal['workspace', 'agent', 'key', 'connection']", "scope_id": "NotRequired[str | None]", "name": "str", "requests_per_minute": "NotRequired[int | None]", "tokens_per_minute": "NotRequired[int | None]", "concurrency": "NotRequired[int | None]", "enabled": "NotRequired[bool]"})
ModelLimitsUpdateBody = TypedDict("ModelLimitsUpdateBody", {"id": "NotRequired[str]", "scope": "NotRequired[Literal['workspace', 'agent', 'key', 'connection']]", "scope_id": "NotRequired[str | None]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "name": "NotRequired[str]", "requests_per_minute": "NotRequired[int | None]", "tokens_per_minute": "NotRequired[int | None]", "concurrency": "NotRequired[int | None]", "enabled": "NotRequired[bool]"})
PricesCreateBody = TypedDict("PricesCreateBody", {"connection": "NotRequired[str | None]", "provider": "NotRequired[str | None]", "model": "str", "rates": "NotRequired[PriceRates]", "factor": "NotRequired[str | None]", "note": "NotRequired[str]", "effective_from": "NotRequired[str]", "effective_until": "NotRequired[str | None]"})
PricesEndBody = TypedDict("PricesEndBody", {"at": "NotRequired[str]"})
LedgerRepriceBody = TypedDict("LedgerRepriceBody", {"start": "str", "end": "NotRequired[str]", "models": "NotRequired[list[str]]", "own_prices": "NotRequired[Literal['now', 'at_call']]", "dry_run": "NotRequired[bool]"})
SharingReplaceBody = TypedDict("SharingReplaceBody", {"enabled": "bool"})
SharingCreateBody = TypedDict("SharingCreateBody", {"expires_in_hours": "NotRequired[int]", "messages": "NotRequired[bool]"})
SharingOpenBody = TypedDict("SharingOpenBody", {"token": "str", "limit": "NotRequired[int]", "cursor": "NotRequired[str]"})
QuestionsCreateBody = TypedDict("QuestionsCreateBody", {"name": "str", "read": "Literal['overview', 'timeseries', 'tools', 'resources', 'prompts', 'servers', 'agents', 'models', 'users', 'clients', 'sessions', 'errors']", "range": "NotRequired[Literal['15m', '1h', '6h', '24h', '7d', '30d']]", "filter": "NotRequired[QuestionFilter]", "compare": "NotRequired[bool]", "sort": "NotRequired[Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change']]", "address": "NotRequired[str | None]"})
QuestionsUpdateBody = TypedDict("QuestionsUpdateBody", {"id": "NotRequired[str]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "name": "NotRequired[str]", "read": "NotRequired[Literal['overview', 'timeseries', 'tools', 'resources', 'prompts', 'servers', 'agents', 'models', 'users', 'clients', 'sessions', 'errors']]", "range": "NotRequired[Literal['15m', '1h', '6h', '24h', '7d', '30d']]", "filter": "NotRequired[QuestionFilter]", "compare": "NotRequired[bool]", "sort": "NotRequired[Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change']]", "address": "NotRequired[str | None]"})
DashboardsCreateBody = TypedDict("DashboardsCreateBody", {"name": "str", "description": "NotRequired[str]", "panels": "NotRequired[list[DashboardPanel]]"})
DashboardsUpdateBody = TypedDict("DashboardsUpdateBody", {"id": "NotRequired[str]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "name": "NotRequired[str]", "description": "NotRequired[str]", "panels": "NotRequired[list[DashboardPanel]]"})
AlertsCreateBody = TypedDict("AlertsCreateBody", {"name": "str", "question_id": "str", "figure": "Literal['calls', 'errors', 'error_rate', 'latency_p50_ms', 'latency_p95_ms', 'latency_p99_ms', 'tokens', 'cost_usd', 'unpriced_calls', 'sessions', 'users']", "condition": "Literal['above', 'below', 'rise', 'fall', 'no_data']", "threshold": "NotRequired[float | None]", "for_s": "NotRequired[int]", "interval_s": "NotRequired[int]", "emails": "NotRequired[list[str]]", "enabled": "NotRequired[bool]", "muted_until": "NotRequired[str | None]"})
AlertsPreviewBody = TypedDict("AlertsPreviewBody", {"question_id": "NotRequired[str]", "range": "NotRequired[Literal['15m', '1h', '6h', '24h', '7d', '30d']]", "filter": "NotRequired[PreviewFilter]", "figure": "Literal['calls', 'errors', 'error_rate', 'latency_p50_ms', 'latency_p95_ms', 'latency_p99_ms', 'tokens', 'cost_usd', 'unpriced_calls', 'sessions', 'users']", "condition": "Literal['above', 'below', 'rise', 'fall', 'no_data']", "threshold": "NotRequired[float | None]", "for_s": "NotRequired[int]"})
AlertsUpdateBody = TypedDict("AlertsUpdateBody", {"id": "NotRequired[str]", "kind": "NotRequired[Literal['question', 'server_down', 'definition_changed', 'error_spike', 'spend_spike', 'agent_loop']]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "name": "NotRequired[str]", "question_id": "NotRequired[str | None]", "figure": "NotRequired[Literal['calls', 'errors', 'error_rate', 'latency_p50_ms', 'latency_p95_ms', 'latency_p99_ms', 'tokens', 'cost_usd', 'unpriced_calls', 'sessions', 'users'] | None]", "condition": "NotRequired[Literal['above', 'below', 'rise', 'fall', 'no_data'] | None]", "threshold": "NotRequired[float | None]", "for_s": "NotRequired[int]", "interval_s": "NotRequired[int]", "emails": "NotRequired[list[str]]", "enabled": "NotRequired[bool]", "muted_until": "NotRequired[str | None]", "state": "NotRequired[AlertState]"})
ScoresCreateBody = TypedDict("ScoresCreateBody", {"trace_id": "NotRequired[str]", "span_id": "NotRequired[str]", "session_id": "NotRequired[str]", "name": "str", "value": "NotRequired[float | bool | str | None]", "comment": "NotRequired[str]", "source": "NotRequired[Literal['person', 'model', 'code', 'end_user']]"})
LangfuseIngestionBodyBatchItem = TypedDict("LangfuseIngestionBodyBatchItem", {"id": "str", "type": "str", "timestamp": "NotRequired[str]", "body": "NotRequired[Any]"})
LangfuseIngestionBody = TypedDict("LangfuseIngestionBody", {"batch": "list[LangfuseIngestionBodyBatchItem]"})
RedactionRulesCreateBody = TypedDict("RedactionRulesCreateBody", {"name": "str", "pattern": "str", "label": "str", "applies_to": "list[Literal['content', 'attributes', 'log_bodies', 'all']]", "attribute_keys": "NotRequired[list[str]]", "ingest_token_id": "NotRequired[str | None]"})
RedactionRulesTryBody = TypedDict("RedactionRulesTryBody", {"text": "str", "pattern": "NotRequired[str]", "label": "NotRequired[str]"})
RedactionRulesUpdateBody = TypedDict("RedactionRulesUpdateBody", {"id": "NotRequired[str]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "name": "NotRequired[str]", "pattern": "NotRequired[str]", "label": "NotRequired[str]", "applies_to": "NotRequired[list[Literal['content', 'attributes', 'log_bodies', 'all']]]", "attribute_keys": "NotRequired[list[str]]", "ingest_token_id": "NotRequired[str | None]"})
RetentionReplaceBody = TypedDict("RetentionReplaceBody", {"traces_days": "Literal[1, 7, 30, 90, 365] | None", "logs_days": "Literal[1, 7, 30, 90, 365] | None", "metrics_days": "Literal[1, 7, 30, 90, 365] | None", "instance_days": "NotRequired[int]"})
TelemetryErasuresCreateBody = TypedDict("TelemetryErasuresCreateBody", {"session_id": "NotRequired[str]", "user_id": "NotRequired[str]"})
TelemetryRenormalisationsCreateBody = TypedDict("TelemetryRenormalisationsCreateBody", {"start": "NotRequired[str]", "end": "NotRequired[str]", "dialect": "NotRequired[str]"})
CallRecordingReplaceBody = TypedDict("CallRecordingReplaceBody", {"mode": "Literal['required', 'best-effort']", "tool_content": "NotRequired[bool]"})
WebhooksCreateBody = TypedDict("WebhooksCreateBody", {"url": "NotRequired[str]", "format": "NotRequired[Literal['standard', 'slack', 'teams', 'pagerduty', 'discord']]", "events": "list[Literal['*', 'agents.*', 'servers.*', 'access.*', 'toolsets.*', 'access-requests.*', 'approvals.*', 'keys.*', 'ingest-tokens.*', 'tool-definitions.*', 'provider-keys.*', 'upstream-credentials.*', 'authorizations.*', 'routes.*', 'hooks.*', 'budgets.*', 'model-limits.*', 'prices.*', 'ledger.*', 'questions.*', 'dashboards.*', 'alerts.*', 'webhooks.*', 'forwarders.*', 'call-recording.*', 'sharing.*', 'telemetry-erasures.*', 'telemetry-renormalisations.*', 'redaction-rules.*', 'retention.*', 'limits.*', 'members.*', 'invitations.*', 'workspaces.*', 'auth.*', 'settings.*', 'instance.*', 'server.*', 'tool.*', 'approval.*', 'budget.*', 'telemetry.*', 'alert.*', 'webhook.*', 'agents.create', 'agents.update', 'agents.delete', 'agents.pause', 'agents.resume', 'agents.stop', 'agents.start', 'servers.create', 'servers.update', 'servers.delete', 'servers.refresh-tools', 'servers.call-tool', 'servers.update-program', 'servers.accept-without-sandbox', 'servers.withdraw-acceptance', 'servers.restart-program', 'servers.install-program', 'access.create', 'access.update', 'access.delete', 'toolsets.create', 'toolsets.update', 'toolsets.delete', 'access-requests.create', 'access-requests.grant', 'access-requests.decline', 'approvals.request', 'approvals.approve', 'approvals.deny', 'approvals.revoke', 'approvals.expire', 'keys.create', 'keys.update', 'keys.rotate', 'keys.cancel-rotation', 'keys.activate', 'keys.revoke', 'ingest-tokens.create', 'ingest-tokens.update', 'ingest-tokens.rotate', 'ingest-tokens.cancel-rotation', 'ingest-tokens.activate', 'ingest-tokens.revoke', 'tool-definitions.decide', 'provider-keys.create', 'provider-keys.update', 'provider-keys.test', 'provider-keys.delete', 'upstream-credentials.replace', 'upstream-credentials.connect', 'upstream-credentials.disconnect', 'authorizations.create', 'authorizations.revoke', 'routes.create', 'routes.update', 'routes.delete', 'hooks.create', 'hooks.update', 'hooks.delete', 'hooks.rotate-secret', 'budgets.create', 'budgets.update', 'budgets.delete', 'model-limits.create', 'model-limits.update', 'model-limits.delete', 'prices.create', 'prices.end', 'ledger.reprice', 'questions.create', 'questions.update', 'questions.delete', 'dashboards.create', 'dashboards.update', 'dashboards.delete', 'alerts.create', 'alerts.update', 'alerts.test', 'alerts.delete', 'webhooks.create', 'webhooks.update', 'webhooks.delete', 'webhooks.rotate-secret', 'webhooks.test', 'webhooks.replay', 'webhooks.disable', 'forwarders.create', 'forwarders.update', 'forwarders.delete', 'forwarders.test', 'call-recording.replace', 'sharing.replace', 'sharing.create', 'sharing.revoke', 'telemetry-erasures.create', 'telemetry-renormalisations.create', 'redaction-rules.create', 'redaction-rules.update', 'redaction-rules.delete', 'retention.replace', 'limits.replace', 'members.add', 'members.update', 'members.remove', 'members.leave', 'invitations.create', 'invitations.resend', 'invitations.revoke', 'invitations.accept', 'workspaces.create', 'workspaces.update', 'auth.setup', 'auth.register', 'auth.login', 'auth.logout', 'auth.switch', 'auth.verify', 'auth.forgot_password', 'auth.reset_password', 'auth.change_password', 'auth.update', 'auth.link_identity', 'auth.unlink_identity', 'auth.revoke_session', 'settings.update', 'instance.rights', 'instance.grant_operator', 'instance.revoke_operator', 'instance.rotate-master-key', 'instance.rotate-signing-keys', 'instance.confirm-clock', 'server.health_changed', 'tool.definition_changed', 'tool.suspended', 'tool.approved', 'approval.requested', 'approval.approved', 'approval.denied', 'approval.expired', 'budget.threshold', 'budget.exhausted', 'telemetry.dropped', 'alert.firing', 'alert.resolved', 'alert.test', 'webhook.test']]", "description": "NotRequired[str]", "enabled": "NotRequired[bool]", "slack_members": "NotRequired[list[SlackMember]]", "routing_key": "NotRequired[str]", "slack_signing_secret": "NotRequired[str | None]"})
WebhooksUpdateBody = TypedDict("WebhooksUpdateBody", {"id": "NotRequired[str]", "format": "NotRequired[Literal['standard', 'slack', 'teams', 'pagerduty', 'discord']]", "answers_approvals": "NotRequired[bool]", "disabled_reason": "NotRequired[str | None]", "failing_since": "NotRequired[str | None]", "old_secret_expires_at": "NotRequired[str | None]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "url": "NotRequired[str]", "events": "NotRequired[list[Literal['*', 'agents.*', 'servers.*', 'access.*', 'toolsets.*', 'access-requests.*', 'approvals.*', 'keys.*', 'ingest-tokens.*', 'tool-definitions.*', 'provider-keys.*', 'upstream-credentials.*', 'authorizations.*', 'routes.*', 'hooks.*', 'budgets.*', 'model-limits.*', 'prices.*', 'ledger.*', 'questions.*', 'dashboards.*', 'alerts.*', 'webhooks.*', 'forwarders.*', 'call-recording.*', 'sharing.*', 'telemetry-erasures.*', 'telemetry-renormalisations.*', 'redaction-rules.*', 'retention.*', 'limits.*', 'members.*', 'invitations.*', 'workspaces.*', 'auth.*', 'settings.*', 'instance.*', 'server.*', 'tool.*', 'approval.*', 'budget.*', 'telemetry.*', 'alert.*', 'webhook.*', 'agents.create', 'agents.update', 'agents.delete', 'agents.pause', 'agents.resume', 'agents.stop', 'agents.start', 'servers.create', 'servers.update', 'servers.delete', 'servers.refresh-tools', 'servers.call-tool', 'servers.update-program', 'servers.accept-without-sandbox', 'servers.withdraw-acceptance', 'servers.restart-program', 'servers.install-program', 'access.create', 'access.update', 'access.delete', 'toolsets.create', 'toolsets.update', 'toolsets.delete', 'access-requests.create', 'access-requests.grant', 'access-requests.decline', 'approvals.request', 'approvals.approve', 'approvals.deny', 'approvals.revoke', 'approvals.expire', 'keys.create', 'keys.update', 'keys.rotate', 'keys.cancel-rotation', 'keys.activate', 'keys.revoke', 'ingest-tokens.create', 'ingest-tokens.update', 'ingest-tokens.rotate', 'ingest-tokens.cancel-rotation', 'ingest-tokens.activate', 'ingest-tokens.revoke', 'tool-definitions.decide', 'provider-keys.create', 'provider-keys.update', 'provider-keys.test', 'provider-keys.delete', 'upstream-credentials.replace', 'upstream-credentials.connect', 'upstream-credentials.disconnect', 'authorizations.create', 'authorizations.revoke', 'routes.create', 'routes.update', 'routes.delete', 'hooks.create', 'hooks.update', 'hooks.delete', 'hooks.rotate-secret', 'budgets.create', 'budgets.update', 'budgets.delete', 'model-limits.create', 'model-limits.update', 'model-limits.delete', 'prices.create', 'prices.end', 'ledger.reprice', 'questions.create', 'questions.update', 'questions.delete', 'dashboards.create', 'dashboards.update', 'dashboards.delete', 'alerts.create', 'alerts.update', 'alerts.test', 'alerts.delete', 'webhooks.create', 'webhooks.update', 'webhooks.delete', 'webhooks.rotate-secret', 'webhooks.test', 'webhooks.replay', 'webhooks.disable', 'forwarders.create', 'forwarders.update', 'forwarders.delete', 'forwarders.test', 'call-recording.replace', 'sharing.replace', 'sharing.create', 'sharing.revoke', 'telemetry-erasures.create', 'telemetry-renormalisations.create', 'redaction-rules.create', 'redaction-rules.update', 'redaction-rules.delete', 'retention.replace', 'limits.replace', 'members.add', 'members.update', 'members.remove', 'members.leave', 'invitations.create', 'invitations.resend', 'invitations.revoke', 'invitations.accept', 'workspaces.create', 'workspaces.update', 'auth.setup', 'auth.register', 'auth.login', 'auth.logout', 'auth.switch', 'auth.verify', 'auth.forgot_password', 'auth.reset_password', 'auth.change_password', 'auth.update', 'auth.link_identity', 'auth.unlink_identity', 'auth.revoke_session', 'settings.update', 'instance.rights', 'instance.grant_operator', 'instance.revoke_operator', 'instance.rotate-master-key', 'instance.rotate-signing-keys', 'instance.confirm-clock', 'server.health_changed', 'tool.definition_changed', 'tool.suspended', 'tool.approved', 'approval.requested', 'approval.approved', 'approval.denied', 'approval.expired', 'budget.threshold', 'budget.exhausted', 'telemetry.dropped', 'alert.firing', 'alert.resolved', 'alert.test', 'webhook.test']]]", "description": "NotRequired[str]", "enabled": "NotRequired[bool]", "slack_members": "NotRequired[list[SlackMember]]", "routing_key": "NotRequired[str]", "slack_signing_secret": "NotRequired[str | None]"})
ForwardersCreateBody = TypedDict("ForwardersCreateBody", {"name": "str", "kind": "Literal['otlp', 'syslog']", "url": "str", "signals": "list[Literal['spans', 'metrics', 'logs', 'audit']]", "headers": "NotRequired[dict[str, str]]", "filter": "NotRequired[ForwarderFilter]", "enabled": "NotRequired[bool]"})
ForwardersUpdateBody = TypedDict("ForwardersUpdateBody", {"id": "NotRequired[str]", "kind": "NotRequired[Literal['otlp', 'syslog']]", "header_names": "NotRequired[list[str]]", "state": "NotRequired[list[ForwarderState]]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "name": "NotRequired[str]", "url": "NotRequired[str]", "signals": "NotRequired[list[Literal['spans', 'metrics', 'logs', 'audit']]]", "headers": "NotRequired[dict[str, str]]", "filter": "NotRequired[ForwarderFilter]", "enabled": "NotRequired[bool]"})
LimitsReplaceBodyLimitsItem = TypedDict("LimitsReplaceBodyLimitsItem", {"class": "Literal['api', 'anonymous', 'mcp', 'model', 'otlp']", "requests": "int | None", "window_s": "int | None", "per": "NotRequired[Literal['credential', 'address']]", "source": "NotRequired[Literal['default', 'operator', 'workspace']]"})
LimitsReplaceBody = TypedDict("LimitsReplaceBody", {"limits": "list[LimitsReplaceBodyLimitsItem]"})
AuthSetupBody = TypedDict("AuthSetupBody", {"setup_token": "str", "email": "str", "password": "str", "name": "NotRequired[str]"})
AuthRegisterBody = TypedDict("AuthRegisterBody", {"email": "str", "password": "str", "name": "NotRequired[str]"})
AuthLoginBody = TypedDict("AuthLoginBody", {"email": "str", "password": "str"})
AuthRefreshBody = TypedDict("AuthRefreshBody", {"refresh_token": "NotRequired[str]"})
AuthSwitchBody = TypedDict("AuthSwitchBody", {"workspace_id": "str"})
AuthMeUpdateBody = TypedDict("AuthMeUpdateBody", {"time_zone": "str | None"})
AuthSessionsAnswer = TypedDict("AuthSessionsAnswer", {"sessions": "list[LiveSession]"})
AuthVerifyBody = TypedDict("AuthVerifyBody", {"token": "str"})
AuthPasswordForgotBody = TypedDict("AuthPasswordForgotBody", {"email": "str"})
AuthPasswordResetBody = TypedDict("AuthPasswordResetBody", {"token": "str", "password": "str"})
AuthPasswordChangeBody = TypedDict("AuthPasswordChangeBody", {"current_password": "str", "new_password": "str"})
AuthOauthLinkBody = TypedDict("AuthOauthLinkBody", {"return_to": "NotRequired[str]"})
AuthIdentitiesAnswer = TypedDict("AuthIdentitiesAnswer", {"identities": "list[LinkedIdentity]"})
WorkspacesCreateBody = TypedDict("WorkspacesCreateBody", {"name": "str"})
WorkspacesUpdateBody = TypedDict("WorkspacesUpdateBody", {"id": "NotRequired[str]", "slug": "NotRequired[str]", "role": "NotRequired[Literal['viewer', 'auditor', 'member', 'admin', 'owner']]", "created_at": "NotRequired[str]", "updated_at": "NotRequired[str]", "name": "NotRequired[str]"})
MembersUpdateBody = TypedDict("MembersUpdateBody", {"user_id": "NotRequired[str]", "email": "NotRequired[str]", "name": "NotRequired[str]", "verified": "NotRequired[bool]", "joined_at": "NotRequired[str]", "role": "Literal['viewer', 'auditor', 'member', 'admin', 'owner']"})
InvitationsCreateBody = TypedDict("InvitationsCreateBody", {"email": "str", "role": "NotRequired[Literal['viewer', 'auditor', 'member', 'admin', 'owner']]", "expires_in_days": "NotRequired[int]"})
InvitationsPreviewBody = TypedDict("InvitationsPreviewBody", {"token": "str"})
InvitationsAcceptBody = TypedDict("InvitationsAcceptBody", {"token": "str", "name": "NotRequired[str]", "password": "NotRequired[str]"})
SettingsUpdateBodySignup = TypedDict("SettingsUpdateBodySignup", {"value": "Literal['open', 'invite', 'closed'] | None", "source": "NotRequired[Literal['default', 'environment', 'stored']]"})
SettingsUpdateBodyLoopbackTargets = TypedDict("SettingsUpdateBodyLoopbackTargets", {"value": "bool | None", "source": "NotRequired[Literal['default', 'environment', 'stored']]"})
SettingsUpdateBodyPrivateNetworks = TypedDict("SettingsUpdateBodyPrivateNetworks", {"value": "list[str] | None", "source": "NotRequired[Literal['default', 'environment', 'stored']]"})
SettingsUpdateBodyStdioPrograms = TypedDict("SettingsUpdateBodyStdioPrograms", {"value": "bool | None", "source": "NotRequired[Literal['default', 'environment', 'stored']]"})
SettingsUpdateBodyStdioProgramsDefault = TypedDict("SettingsUpdateBodyStdioProgramsDefault", {"value": "bool | None", "source": "NotRequired[Literal['default', 'environment', 'stored']]"})
SettingsUpdateBody = TypedDict("SettingsUpdateBody", {"signup": "NotRequired[SettingsUpdateBodySignup]", "loopback_targets": "NotRequired[SettingsUpdateBodyLoopbackTargets]", "private_networks": "NotRequired[SettingsUpdateBodyPrivateNetworks]", "stdio_programs": "NotRequired[SettingsUpdateBodyStdioPrograms]", "stdio_programs_default": "NotRequired[SettingsUpdateBodyStdioProgramsDefault]"})
InstanceRotateSigningKeysBody = TypedDict("InstanceRotateSigningKeysBody", {"immediate": "NotRequired[bool]"})


class Client(Transport):
    """The platform API, an operation a method."""

    def servers_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, status: Literal['active', 'inactive', 'deploying', 'error'] | None = None, health_status: Literal['unknown', 'healthy', 'degraded', 'unhealthy'] | None = None, transport_type: Literal['http', 'sse', 'stdio'] | None = None, q: str | None = None, sort: Literal['name', 'created_at', 'updated_at'] | None = None, if_none_match: str | None = None) -> McpServerList:
        """List MCP servers."""
        return cast("McpServerList", self._call("GET", "/v1/mcp/servers", query={"page": page, "limit": limit, "order": order, "status": status, "health_status": health_status, "transport_type": transport_type, "q": q, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def servers_create(self, body: ServersCreateBody, *, idempotency_key: str | None = None) -> McpServer:
        """Register an MCP server by URL; the first check takes at most 3 s, then continues in the background."""
        return cast("McpServer", self._call("POST", "/v1/mcp/servers", body=body, headers={"Idempotency-Key": idempotency_key}))
    def servers_get(self, id: str, *, if_none_match: str | None = None) -> McpServer:
        """Get an MCP server with the access that agents have to it."""
        return cast("McpServer", self._call("GET", f"/v1/mcp/servers/{part(id)}", headers={"If-None-Match": if_none_match}))
    def servers_replace(self, id: str, body: ServersReplaceBody, *, if_match: str | None = None) -> McpServer:
        """Replace the settings of an MCP server; stored headers stay when none are given."""
        return cast("McpServer", self._call("PUT", f"/v1/mcp/servers/{part(id)}", body=body, headers={"If-Match": if_match}))
    def servers_update(self, id: str, body: ServersUpdateBody, *, if_match: str | None = None) -> McpServer:
        """Change an MCP server; a new origin erases its stored headers."""
        return cast("McpServer", self._call("PATCH", f"/v1/mcp/servers/{part(id)}", body=body, headers={"If-Match": if_match}))
    def servers_delete(self, id: str, *, force: bool | None = None, if_match: str | None = None) -> None:
        """Delete an MCP server; needs `force=true` while it has grants."""
        self._call("DELETE", f"/v1/mcp/servers/{part(id)}", query={"force": force}, headers={"If-Match": if_match})
    def servers_tools(self, id: str, *, if_none_match: str | None = None) -> ToolList:
        """List the tools of the server, as last seen."""
        return cast("ToolList", self._call("GET", f"/v1/mcp/servers/{part(id)}/tools", headers={"If-None-Match": if_none_match}))
    def servers_refresh_tools(self, id: str) -> ToolList:
        """Refresh the tool list now."""
        return cast("ToolList", self._call("POST", f"/v1/mcp/servers/{part(id)}/tools/refresh"))
    def servers_health(self, id: str, *, if_none_match: str | None = None) -> Health:
        """Check the server now; the answer is 200 even when it is unhealthy."""
        return cast("Health", self._call("GET", f"/v1/mcp/servers/{part(id)}/health", headers={"If-None-Match": if_none_match}))
    def servers_health_history(self, id: str, *, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> HealthHistory:
        """List the checks of the server in the last 30 days, newest first, at most 5,000."""
        return cast("HealthHistory", self._call("GET", f"/v1/mcp/servers/{part(id)}/health/history", query={"limit": limit, "cursor": cursor}, headers={"If-None-Match": if_none_match}))
    def servers_call_tool(self, id: str, name: str, body: ServersCallToolBody) -> ToolCallResult:
        """Call a tool now, as one of the agents or as yourself."""
        return cast("ToolCallResult", self._call("POST", f"/v1/mcp/servers/{part(id)}/tools/{part(name)}/call", body=body))
    def servers_import(self, body: ServersImportBody) -> ImportedServers:
        """Register the servers of an mcp.json; each entry is answered separately."""
        return cast("ImportedServers", self._call("POST", "/v1/mcp/servers/import", body=body))
    def tool_definitions_list(self, id: str, *, if_none_match: str | None = None) -> DefinitionList:
        """List the tools of a server with what agents see of them, flags and tokens."""
        return cast("DefinitionList", self._call("GET", f"/v1/mcp/servers/{part(id)}/definitions", headers={"If-None-Match": if_none_match}))
    def tool_definitions_versions(self, id: str, *, name: str, if_none_match: str | None = None) -> DefinitionVersionList:
        """List the versions of a tool, newest first; the last 100 are kept."""
        return cast("DefinitionVersionList", self._call("GET", f"/v1/mcp/servers/{part(id)}/definitions/versions", query={"name": name}, headers={"If-None-Match": if_none_match}))
    def tool_definitions_diff(self, id: str, *, name: str, from_: str | None = None, to: str | None = None, if_none_match: str | None = None) -> DefinitionDiff:
        """Compare two definitions of a tool."""
        return cast("DefinitionDiff", self._call("GET", f"/v1/mcp/servers/{part(id)}/definitions/diff", query={"name": name, "from": from_, "to": to}, headers={"If-None-Match": if_none_match}))
    def tool_definitions_decide(self, id: str, body: ToolDefinitionsDecideBody) -> DefinitionList:
        """Approve or reject current definitions, all of them or none."""
        return cast("DefinitionList", self._call("POST", f"/v1/mcp/servers/{part(id)}/definitions/decisions", body=body))
    def tool_definitions_pending(self, *, if_none_match: str | None = None) -> PendingDefinitionList:
        """List changed and new tools of all servers that wait for a decision, newest first, at most 500."""
        return cast("PendingDefinitionList", self._call("GET", "/v1/mcp/pending-definitions", headers={"If-None-Match": if_none_match}))
    def servers_program(self, id: str, *, if_none_match: str | None = None) -> Program:
        """Get the program of a hosted server: state, sandbox and package."""
        return cast("Program", self._call("GET", f"/v1/mcp/servers/{part(id)}/program", headers={"If-None-Match": if_none_match}))
    def servers_update_program(self, id: str, body: ServersUpdateProgramBody, *, if_match: str | None = None) -> Program:
        """Set which hosts the program may reach; it is restarted."""
        return cast("Program", self._call("PATCH", f"/v1/mcp/servers/{part(id)}/program", body=body, headers={"If-Match": if_match}))
    def servers_logs(self, id: str, *, limit: int | None = None, if_none_match: str | None = None) -> ProgramLogs:
        """Get the last lines that the program wrote, oldest first, without values of its environment."""
        return cast("ProgramLogs", self._call("GET", f"/v1/mcp/servers/{part(id)}/logs", query={"limit": limit}, headers={"If-None-Match": if_none_match}))
    def servers_accept_without_sandbox(self, id: str, body: ServersAcceptWithoutSandboxBody) -> Program:
        """Accept the program in its current form, so that it may start."""
        return cast("Program", self._call("POST", f"/v1/mcp/servers/{part(id)}/program/acceptance", body=body))
    def servers_withdraw_acceptance(self, id: str) -> None:
        """Withdraw the acceptance; the program is stopped."""
        self._call("DELETE", f"/v1/mcp/servers/{part(id)}/program/acceptance")
    def servers_restart_program(self, id: str) -> Program:
        """Stop the program; it starts with the next request, without waiting after failures."""
        return cast("Program", self._call("POST", f"/v1/mcp/servers/{part(id)}/program/restart"))
    def servers_install_program(self, id: str) -> Program:
        """Download the package of an `npx` command again, in the newest version that the command allows."""
        return cast("Program", self._call("POST", f"/v1/mcp/servers/{part(id)}/program/install"))
    def agents_list_seed(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, status: Literal['active', 'paused', 'stopped', 'error'] | None = None, q: str | None = None, group: str | None = None, sort: Literal['name', 'created_at', 'updated_at'] | None = None, if_none_match: str | None = None) -> AgentList:
        """List agents."""
        return cast("AgentList", self._call("GET", "/agent/list", query={"page": page, "limit": limit, "order": order, "status": status, "q": q, "group": group, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def agents_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, status: Literal['active', 'paused', 'stopped', 'error'] | None = None, q: str | None = None, group: str | None = None, sort: Literal['name', 'created_at', 'updated_at'] | None = None, if_none_match: str | None = None) -> AgentList:
        """List agents."""
        return cast("AgentList", self._call("GET", "/v1/agents", query={"page": page, "limit": limit, "order": order, "status": status, "q": q, "group": group, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def agents_create(self, body: AgentsCreateBody, *, idempotency_key: str | None = None) -> Agent:
        """Create an agent; it is active at once."""
        return cast("Agent", self._call("POST", "/v1/agents", body=body, headers={"Idempotency-Key": idempotency_key}))
    def agents_get(self, id: str, *, if_none_match: str | None = None) -> Agent:
        """Get an agent."""
        return cast("Agent", self._call("GET", f"/v1/agents/{part(id)}", headers={"If-None-Match": if_none_match}))
    def agents_update(self, id: str, body: AgentsUpdateBody, *, if_match: str | None = None) -> Agent:
        """Change the name, description, groups, model access or call limits of an agent."""
        return cast("Agent", self._call("PATCH", f"/v1/agents/{part(id)}", body=body, headers={"If-Match": if_match}))
    def agents_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete an agent with its keys and grants."""
        self._call("DELETE", f"/v1/agents/{part(id)}", headers={"If-Match": if_match})
    def agents_pause(self, id: str) -> Agent:
        """Pause an agent: its calls are refused at once, running streams included."""
        return cast("Agent", self._call("POST", f"/v1/agents/{part(id)}/pause"))
    def agents_resume(self, id: str) -> Agent:
        """Resume a paused agent."""
        return cast("Agent", self._call("POST", f"/v1/agents/{part(id)}/resume"))
    def agents_stop(self, id: str) -> Agent:
        """Stop an agent."""
        return cast("Agent", self._call("POST", f"/v1/agents/{part(id)}/stop"))
    def agents_start(self, id: str) -> Agent:
        """Start a stopped agent."""
        return cast("Agent", self._call("POST", f"/v1/agents/{part(id)}/start"))
    def agents_install(self, id: str, *, server: str | None = None, if_none_match: str | None = None) -> AgentInstall:
        """Ready configuration for MCP clients; the key in it is a placeholder."""
        return cast("AgentInstall", self._call("GET", f"/v1/agents/{part(id)}/install", query={"server": server}, headers={"If-None-Match": if_none_match}))
    def agents_list_keys(self, id: str, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, status: Literal['active', 'revoked', 'expired'] | None = None, sort: Literal['name', 'created_at', 'last_used_at', 'expires_at'] | None = None, if_none_match: str | None = None) -> KeyList:
        """List the keys that act as this agent."""
        return cast("KeyList", self._call("GET", f"/v1/agents/{part(id)}/keys", query={"page": page, "limit": limit, "order": order, "status": status, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def agents_create_key(self, id: str, body: AgentsCreateKeyBody, *, idempotency_key: str | None = None) -> NewKey:
        """Create a key that acts as this agent; the secret is shown once."""
        return cast("NewKey", self._call("POST", f"/v1/agents/{part(id)}/keys", body=body, headers={"Idempotency-Key": idempotency_key}))
    def access_list(self, id: str, *, if_none_match: str | None = None) -> AgentAccessList:
        """List the agents that may use this server."""
        return cast("AgentAccessList", self._call("GET", f"/v1/mcp/servers/{part(id)}/access", headers={"If-None-Match": if_none_match}))
    def access_create(self, id: str, body: AccessCreateBody, *, idempotency_key: str | None = None) -> AccessGrant:
        """Grant an agent all or selected tools of this server."""
        return cast("AccessGrant", self._call("POST", f"/v1/mcp/servers/{part(id)}/access", body=body, headers={"Idempotency-Key": idempotency_key}))
    def access_get(self, id: str, agentid: str, *, if_none_match: str | None = None) -> AccessGrant:
        """Get the direct grant of an agent on this server."""
        return cast("AccessGrant", self._call("GET", f"/v1/mcp/servers/{part(id)}/access/{part(agentid)}", headers={"If-None-Match": if_none_match}))
    def access_update(self, id: str, agentid: str, body: AccessUpdateBody, *, if_match: str | None = None) -> AccessGrant:
        """Change a grant; effective within 1 s, running streams included."""
        return cast("AccessGrant", self._call("PATCH", f"/v1/mcp/servers/{part(id)}/access/{part(agentid)}", body=body, headers={"If-Match": if_match}))
    def access_delete(self, id: str, agentid: str, *, if_match: str | None = None) -> None:
        """Delete the direct grant of an agent on this server."""
        self._call("DELETE", f"/v1/mcp/servers/{part(id)}/access/{part(agentid)}", headers={"If-Match": if_match})
    def access_matrix(self, *, page: int | None = None, limit: int | None = None, q: str | None = None, if_none_match: str | None = None) -> AccessMatrix:
        """Agents and tools: the decision for each pair, by which grants, and who changed them last."""
        return cast("AccessMatrix", self._call("GET", "/v1/access/matrix", query={"page": page, "limit": limit, "q": q}, headers={"If-None-Match": if_none_match}))
    def access_of_agent(self, id: str, *, if_none_match: str | None = None) -> AccessOfAgent:
        """All grants of an agent, with the decision and its reason for every tool."""
        return cast("AccessOfAgent", self._call("GET", f"/v1/agents/{part(id)}/access", headers={"If-None-Match": if_none_match}))
    def toolsets_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, q: str | None = None, group: str | None = None, sort: Literal['name', 'created_at', 'updated_at'] | None = None, if_none_match: str | None = None) -> ToolsetList:
        """List toolsets."""
        return cast("ToolsetList", self._call("GET", "/v1/toolsets", query={"page": page, "limit": limit, "order": order, "q": q, "group": group, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def toolsets_create(self, body: ToolsetsCreateBody, *, idempotency_key: str | None = None) -> Toolset:
        """Create a toolset; every agent in its groups gets a grant on each of its servers."""
        return cast("Toolset", self._call("POST", "/v1/toolsets", body=body, headers={"Idempotency-Key": idempotency_key}))
    def toolsets_get(self, id: str, *, if_none_match: str | None = None) -> Toolset:
        """Get a toolset."""
        return cast("Toolset", self._call("GET", f"/v1/toolsets/{part(id)}", headers={"If-None-Match": if_none_match}))
    def toolsets_update(self, id: str, body: ToolsetsUpdateBody, *, if_match: str | None = None) -> Toolset:
        """Change a toolset, and with it the grants of every agent in its groups."""
        return cast("Toolset", self._call("PATCH", f"/v1/toolsets/{part(id)}", body=body, headers={"If-Match": if_match}))
    def toolsets_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a toolset with the grants derived from it."""
        self._call("DELETE", f"/v1/toolsets/{part(id)}", headers={"If-Match": if_match})
    def toolsets_preview(self, id: str, body: ToolsetsPreviewBody) -> ToolsetPreview:
        """Preview a change of a toolset: what agents would gain and lose."""
        return cast("ToolsetPreview", self._call("POST", f"/v1/toolsets/{part(id)}/preview", body=body))
    def access_review_simulate(self, body: AccessReviewSimulateBody) -> Simulation:
        """Which recorded calls a change of grants would newly deny or allow; nothing is changed."""
        return cast("Simulation", self._call("POST", "/v1/access/simulate", body=body))
    def access_review_suggestions(self, *, page: int | None = None, limit: int | None = None, days: int | None = None, state: Literal['open', 'applied', 'reverted'] | None = None, if_none_match: str | None = None) -> AccessSuggestionList:
        """Access that recorded calls did not use, with the change that would remove it."""
        return cast("AccessSuggestionList", self._call("GET", "/v1/access/suggestions", query={"page": page, "limit": limit, "days": days, "state": state}, headers={"If-None-Match": if_none_match}))
    def access_review_apply(self, id: str) -> AccessSuggestion:
        """Make the change of a suggestion, in one transaction."""
        return cast("AccessSuggestion", self._call("POST", f"/v1/access/suggestions/{part(id)}/apply"))
    def access_review_revert(self, id: str) -> AccessSuggestion:
        """Restore exactly what an applied suggestion changed."""
        return cast("AccessSuggestion", self._call("POST", f"/v1/access/suggestions/{part(id)}/revert"))
    def approvals_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, status: Literal['pending', 'approved', 'used', 'denied', 'expired', 'revoked'] | None = None, agent_uuid: str | None = None, server_id: str | None = None, sort: Literal['requested_at', 'expires_at'] | None = None, if_none_match: str | None = None) -> ApprovalList:
        """List approvals, pending and decided."""
        return cast("ApprovalList", self._call("GET", "/v1/approvals", query={"page": page, "limit": limit, "order": order, "status": status, "agent_uuid": agent_uuid, "server_id": server_id, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def approvals_get(self, id: str, *, if_none_match: str | None = None) -> Approval:
        """Get an approval with the arguments of its call."""
        return cast("Approval", self._call("GET", f"/v1/approvals/{part(id)}", headers={"If-None-Match": if_none_match}))
    def approvals_approve(self, id: str, body: ApprovalsApproveBody) -> Approval:
        """Approve the call once, or all calls of this tool by this agent for some minutes."""
        return cast("Approval", self._call("POST", f"/v1/approvals/{part(id)}/approve", body=body))
    def approvals_deny(self, id: str, body: ApprovalsDenyBody) -> Approval:
        """Deny the call; a repeat within 15 minutes gets the same answer."""
        return cast("Approval", self._call("POST", f"/v1/approvals/{part(id)}/deny", body=body))
    def approvals_revoke(self, id: str) -> Approval:
        """Revoke an approval that is unused or still in effect."""
        return cast("Approval", self._call("POST", f"/v1/approvals/{part(id)}/revoke"))
    def access_requests_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, status: Literal['pending', 'granted', 'declined'] | None = None, agent_uuid: str | None = None, sort: Literal['requested_at'] | None = None, if_none_match: str | None = None) -> AccessRequestList:
        """List requests for access that people made for agents."""
        return cast("AccessRequestList", self._call("GET", "/v1/access-requests", query={"page": page, "limit": limit, "order": order, "status": status, "agent_uuid": agent_uuid, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def access_requests_create(self, body: AccessRequestsCreateBody, *, idempotency_key: str | None = None) -> AccessRequest:
        """Request access to a tool or a server for an agent."""
        return cast("AccessRequest", self._call("POST", "/v1/access-requests", body=body, headers={"Idempotency-Key": idempotency_key}))
    def access_requests_get(self, id: str, *, if_none_match: str | None = None) -> AccessRequest:
        """Get an access request."""
        return cast("AccessRequest", self._call("GET", f"/v1/access-requests/{part(id)}", headers={"If-None-Match": if_none_match}))
    def access_requests_grant(self, id: str) -> AccessRequest:
        """Grant a request: a new grant, or one more tool in the direct grant."""
        return cast("AccessRequest", self._call("POST", f"/v1/access-requests/{part(id)}/grant"))
    def access_requests_decline(self, id: str) -> AccessRequest:
        """Decline an access request."""
        return cast("AccessRequest", self._call("POST", f"/v1/access-requests/{part(id)}/decline"))
    def keys_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, status: Literal['active', 'revoked', 'expired'] | None = None, sort: Literal['name', 'created_at', 'last_used_at', 'expires_at'] | None = None, agent_uuid: str | None = None, if_none_match: str | None = None) -> KeyList:
        """List platform and agent keys."""
        return cast("KeyList", self._call("GET", "/v1/keys", query={"page": page, "limit": limit, "order": order, "status": status, "sort": sort, "agent_uuid": agent_uuid}, headers={"If-None-Match": if_none_match}))
    def keys_create(self, body: KeysCreateBody, *, idempotency_key: str | None = None) -> NewKey:
        """Create a platform key, or with `agent_uuid` a key that acts as that agent."""
        return cast("NewKey", self._call("POST", "/v1/keys", body=body, headers={"Idempotency-Key": idempotency_key}))
    def keys_get(self, id: str, *, if_none_match: str | None = None) -> Key:
        """Get a key, without its secret."""
        return cast("Key", self._call("GET", f"/v1/keys/{part(id)}", headers={"If-None-Match": if_none_match}))
    def keys_update(self, id: str, body: KeysUpdateBody, *, if_match: str | None = None) -> Key:
        """Change the name, scopes, expiry or allowed addresses of a key."""
        return cast("Key", self._call("PATCH", f"/v1/keys/{part(id)}", body=body, headers={"If-Match": if_match}))
    def keys_revoke(self, id: str, *, if_match: str | None = None) -> None:
        """Revoke a key with all its secrets; running streams are cut."""
        self._call("DELETE", f"/v1/keys/{part(id)}", headers={"If-Match": if_match})
    def keys_rotate(self, id: str, body: KeysRotateBody | None = None, *, idempotency_key: str | None = None) -> NewKey:
        """Rotate the secret of a key; the new one is shown once."""
        return cast("NewKey", self._call("POST", f"/v1/keys/{part(id)}/rotate", body=body, headers={"Idempotency-Key": idempotency_key}))
    def keys_cancel_rotation(self, id: str) -> None:
        """Cancel a rotation: the new secret stops working."""
        self._call("DELETE", f"/v1/keys/{part(id)}/rotation")
    def ingest_tokens_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, status: Literal['active', 'revoked', 'expired'] | None = None, sort: Literal['name', 'created_at', 'last_used_at', 'expires_at'] | None = None, if_none_match: str | None = None) -> IngestTokenList:
        """List ingest tokens."""
        return cast("IngestTokenList", self._call("GET", "/v1/ingest-tokens", query={"page": page, "limit": limit, "order": order, "status": status, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def ingest_tokens_create(self, body: IngestTokensCreateBody, *, idempotency_key: str | None = None) -> NewIngestToken:
        """Create a write-only token for telemetry."""
        return cast("NewIngestToken", self._call("POST", "/v1/ingest-tokens", body=body, headers={"Idempotency-Key": idempotency_key}))
    def ingest_tokens_get(self, id: str, *, if_none_match: str | None = None) -> IngestToken:
        """Get an ingest token, without its secret."""
        return cast("IngestToken", self._call("GET", f"/v1/ingest-tokens/{part(id)}", headers={"If-None-Match": if_none_match}))
    def ingest_tokens_update(self, id: str, body: IngestTokensUpdateBody, *, if_match: str | None = None) -> IngestToken:
        """Change the name, expiry or allowed addresses of an ingest token."""
        return cast("IngestToken", self._call("PATCH", f"/v1/ingest-tokens/{part(id)}", body=body, headers={"If-Match": if_match}))
    def ingest_tokens_revoke(self, id: str, *, if_match: str | None = None) -> None:
        """Revoke an ingest token with all its secrets."""
        self._call("DELETE", f"/v1/ingest-tokens/{part(id)}", headers={"If-Match": if_match})
    def ingest_tokens_rotate(self, id: str, body: IngestTokensRotateBody | None = None, *, idempotency_key: str | None = None) -> NewIngestToken:
        """Rotate the secret of an ingest token; the new one is shown once."""
        return cast("NewIngestToken", self._call("POST", f"/v1/ingest-tokens/{part(id)}/rotate", body=body, headers={"Idempotency-Key": idempotency_key}))
    def ingest_tokens_cancel_rotation(self, id: str) -> None:
        """Cancel a rotation: the new secret stops working."""
        self._call("DELETE", f"/v1/ingest-tokens/{part(id)}/rotation")
    def authorizations_consent(self, body: AuthorizationsConsentBody) -> Consent:
        """What a client requests, for the consent page."""
        return cast("Consent", self._call("POST", "/v1/authorizations/consent", body=body))
    def authorizations_decide(self, body: AuthorizationsDecideBody) -> ConsentDecision:
        """Approve or deny the request of a client."""
        return cast("ConsentDecision", self._call("POST", "/v1/authorizations/decide", body=body))
    def authorizations_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, status: Literal['active', 'revoked', 'expired'] | None = None, agent_uuid: str | None = None, sort: Literal['created_at', 'expires_at'] | None = None, if_none_match: str | None = None) -> AuthorizationList:
        """Clients connected by OAuth: your own, or for admins those of the workspace."""
        return cast("AuthorizationList", self._call("GET", "/v1/authorizations", query={"page": page, "limit": limit, "order": order, "status": status, "agent_uuid": agent_uuid, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def authorizations_revoke(self, id: str) -> None:
        """Disconnect a client; its tokens end at once, running streams included."""
        self._call("DELETE", f"/v1/authorizations/{part(id)}")
    def upstream_credentials_get(self, id: str, *, if_none_match: str | None = None) -> UpstreamAuth:
        """Get how the platform obtains OAuth credentials for a server."""
        return cast("UpstreamAuth", self._call("GET", f"/v1/mcp/servers/{part(id)}/oauth", headers={"If-None-Match": if_none_match}))
    def upstream_credentials_replace(self, id: str, body: UpstreamCredentialsReplaceBody, *, if_match: str | None = None) -> UpstreamAuth:
        """Set how the platform obtains OAuth credentials for a server; its tokens are deleted."""
        return cast("UpstreamAuth", self._call("PUT", f"/v1/mcp/servers/{part(id)}/oauth", body=body, headers={"If-Match": if_match}))
    def upstream_credentials_authorize(self, id: str, body: UpstreamCredentialsAuthorizeBody | None = None) -> UpstreamConsent:
        """Start connecting a server: returns the address for the browser of the person who consents."""
        return cast("UpstreamConsent", self._call("POST", f"/v1/mcp/servers/{part(id)}/oauth/authorize", body=body))
    def upstream_credentials_connections(self, id: str, *, if_none_match: str | None = None) -> UpstreamConnectionList:
        """List who has a token for a server; only admins see those of others."""
        return cast("UpstreamConnectionList", self._call("GET", f"/v1/mcp/servers/{part(id)}/oauth/connections", headers={"If-None-Match": if_none_match}))
    def upstream_credentials_disconnect(self, id: str, connectionid: str) -> None:
        """Delete tokens and, where supported, revoke them at the authorization server."""
        self._call("DELETE", f"/v1/mcp/servers/{part(id)}/oauth/connections/{part(connectionid)}")
    def provider_keys_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, if_none_match: str | None = None) -> ProviderKeyList:
        """List the connections to model providers."""
        return cast("ProviderKeyList", self._call("GET", "/v1/provider-keys", query={"page": page, "limit": limit, "order": order}, headers={"If-None-Match": if_none_match}))
    def provider_keys_create(self, body: ProviderKeysCreateBody, *, idempotency_key: str | None = None) -> ProviderKey:
        """Store a provider key or credential, sealed and bound to its provider and origin."""
        return cast("ProviderKey", self._call("POST", "/v1/provider-keys", body=body, headers={"Idempotency-Key": idempotency_key}))
    def provider_keys_get(self, id: str, *, if_none_match: str | None = None) -> ProviderKey:
        """Get a connection, without its key."""
        return cast("ProviderKey", self._call("GET", f"/v1/provider-keys/{part(id)}", headers={"If-None-Match": if_none_match}))
    def provider_keys_update(self, id: str, body: ProviderKeysUpdateBody, *, if_match: str | None = None) -> ProviderKey:
        """Change a connection; a new origin erases the stored key unless a new one comes with it."""
        return cast("ProviderKey", self._call("PATCH", f"/v1/provider-keys/{part(id)}", body=body, headers={"If-Match": if_match}))
    def provider_keys_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a connection."""
        self._call("DELETE", f"/v1/provider-keys/{part(id)}", headers={"If-Match": if_match})
    def provider_keys_test(self, id: str) -> ProviderKeyTest:
        """Test the stored key with a free request (the list of models where there is one); 200 also when the provider refuses."""
        return cast("ProviderKeyTest", self._call("POST", f"/v1/provider-keys/{part(id)}/test"))
    def routes_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, if_none_match: str | None = None) -> ModelRouteList:
        """List the routes of model calls."""
        return cast("ModelRouteList", self._call("GET", "/v1/routes", query={"page": page, "limit": limit, "order": order}, headers={"If-None-Match": if_none_match}))
    def routes_create(self, body: RoutesCreateBody, *, idempotency_key: str | None = None) -> ModelRoute:
        """Create a route: one name for several connections and models, with fallback and balancing."""
        return cast("ModelRoute", self._call("POST", "/v1/routes", body=body, headers={"Idempotency-Key": idempotency_key}))
    def routes_get(self, id: str, *, if_none_match: str | None = None) -> ModelRoute:
        """Get a route."""
        return cast("ModelRoute", self._call("GET", f"/v1/routes/{part(id)}", headers={"If-None-Match": if_none_match}))
    def routes_update(self, id: str, body: RoutesUpdateBody, *, if_match: str | None = None) -> ModelRoute:
        """Change a route; running calls are not affected."""
        return cast("ModelRoute", self._call("PATCH", f"/v1/routes/{part(id)}", body=body, headers={"If-Match": if_match}))
    def routes_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a route."""
        self._call("DELETE", f"/v1/routes/{part(id)}", headers={"If-Match": if_match})
    def hooks_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, if_none_match: str | None = None) -> HookList:
        """List the hooks on model calls, by default in the order in which they run."""
        return cast("HookList", self._call("GET", "/v1/hooks", query={"page": page, "limit": limit, "order": order}, headers={"If-None-Match": if_none_match}))
    def hooks_create(self, body: HooksCreateBody, *, idempotency_key: str | None = None) -> NewHook:
        """Create a hook that checks prompts or answers of model calls; a dry run by default."""
        return cast("NewHook", self._call("POST", "/v1/hooks", body=body, headers={"Idempotency-Key": idempotency_key}))
    def hooks_get(self, id: str, *, if_none_match: str | None = None) -> Hook:
        """Get a hook, without its secret."""
        return cast("Hook", self._call("GET", f"/v1/hooks/{part(id)}", headers={"If-None-Match": if_none_match}))
    def hooks_update(self, id: str, body: HooksUpdateBody, *, if_match: str | None = None) -> NewHook:
        """Change a hook; another origin gets a new secret, shown once in the answer."""
        return cast("NewHook", self._call("PATCH", f"/v1/hooks/{part(id)}", body=body, headers={"If-Match": if_match}))
    def hooks_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a hook."""
        self._call("DELETE", f"/v1/hooks/{part(id)}", headers={"If-Match": if_match})
    def hooks_rotate_secret(self, id: str, *, idempotency_key: str | None = None) -> NewHook:
        """Rotate the signing secret of a hook’s webhook; the new one is shown once, the old one also signs for 24 hours."""
        return cast("NewHook", self._call("POST", f"/v1/hooks/{part(id)}/rotate-secret", headers={"Idempotency-Key": idempotency_key}))
    def budgets_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['created_at', 'updated_at', 'name'] | None = None, scope: Literal['workspace', 'agent', 'key', 'session', 'user'] | None = None, if_none_match: str | None = None) -> BudgetList:
        """List budgets with their spending."""
        return cast("BudgetList", self._call("GET", "/v1/budgets", query={"page": page, "limit": limit, "order": order, "sort": sort, "scope": scope}, headers={"If-None-Match": if_none_match}))
    def budgets_create(self, body: BudgetsCreateBody, *, idempotency_key: str | None = None) -> Budget:
        """Limit what model calls may cost, or how many tokens they may use, in a period."""
        return cast("Budget", self._call("POST", "/v1/budgets", body=body, headers={"Idempotency-Key": idempotency_key}))
    def budgets_get(self, id: str, *, if_none_match: str | None = None) -> Budget:
        """Get a budget with its spending."""
        return cast("Budget", self._call("GET", f"/v1/budgets/{part(id)}", headers={"If-None-Match": if_none_match}))
    def budgets_update(self, id: str, body: BudgetsUpdateBody, *, if_match: str | None = None) -> Budget:
        """Change a budget; spending so far stays counted."""
        return cast("Budget", self._call("PATCH", f"/v1/budgets/{part(id)}", body=body, headers={"If-Match": if_match}))
    def budgets_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a budget with its counters."""
        self._call("DELETE", f"/v1/budgets/{part(id)}", headers={"If-Match": if_match})
    def budgets_spending(self, id: str, *, limit: int | None = None, if_none_match: str | None = None) -> BudgetSpendingList:
        """Spending of each agent, key, session or user in the current window, highest first."""
        return cast("BudgetSpendingList", self._call("GET", f"/v1/budgets/{part(id)}/spending", query={"limit": limit}, headers={"If-None-Match": if_none_match}))
    def model_limits_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, if_none_match: str | None = None) -> ModelLimitList:
        """List the limits of model calls."""
        return cast("ModelLimitList", self._call("GET", "/v1/model-limits", query={"page": page, "limit": limit, "order": order}, headers={"If-None-Match": if_none_match}))
    def model_limits_create(self, body: ModelLimitsCreateBody, *, idempotency_key: str | None = None) -> ModelLimit:
        """Limit model calls: requests and tokens per minute, and concurrent calls."""
        return cast("ModelLimit", self._call("POST", "/v1/model-limits", body=body, headers={"Idempotency-Key": idempotency_key}))
    def model_limits_get(self, id: str, *, if_none_match: str | None = None) -> ModelLimit:
        """Get a limit of model calls."""
        return cast("ModelLimit", self._call("GET", f"/v1/model-limits/{part(id)}", headers={"If-None-Match": if_none_match}))
    def model_limits_update(self, id: str, body: ModelLimitsUpdateBody, *, if_match: str | None = None) -> ModelLimit:
        """Change a limit of model calls."""
        return cast("ModelLimit", self._call("PATCH", f"/v1/model-limits/{part(id)}", body=body, headers={"If-Match": if_match}))
    def model_limits_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a limit of model calls."""
        self._call("DELETE", f"/v1/model-limits/{part(id)}", headers={"If-Match": if_match})
    def prices_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, if_none_match: str | None = None) -> PriceList:
        """List the workspace’s own prices and the table that applies otherwise."""
        return cast("PriceList", self._call("GET", "/v1/prices", query={"page": page, "limit": limit, "order": order}, headers={"If-None-Match": if_none_match}))
    def prices_create(self, body: PricesCreateBody, *, idempotency_key: str | None = None) -> Price:
        """Set the price of models, from now on or from a later time."""
        return cast("Price", self._call("POST", "/v1/prices", body=body, headers={"Idempotency-Key": idempotency_key}))
    def prices_end(self, id: str, body: PricesEndBody, *, idempotency_key: str | None = None) -> Price:
        """End a price now or at a later time; it stays in the list."""
        return cast("Price", self._call("POST", f"/v1/prices/{part(id)}/end", body=body, headers={"Idempotency-Key": idempotency_key}))
    def prices_effective(self, *, provider: str, model: str, connection: str | None = None, if_none_match: str | None = None) -> EffectivePrice:
        """Get the current price of a model by dimension, with the source of each."""
        return cast("EffectivePrice", self._call("GET", "/v1/prices/effective", query={"provider": provider, "model": model, "connection": connection}, headers={"If-None-Match": if_none_match}))
    def prices_unpriced(self, *, start: str | None = None, end: str | None = None, if_none_match: str | None = None) -> UnpricedModelList:
        """List models whose calls have no price in a time range (default: the last 24 hours), most calls first."""
        return cast("UnpricedModelList", self._call("GET", "/v1/prices/unpriced", query={"start": start, "end": end}, headers={"If-None-Match": if_none_match}))
    def ledger_reprice(self, body: LedgerRepriceBody) -> Repricing:
        """Reprice recorded calls; by default a dry run that shows the difference."""
        return cast("Repricing", self._call("POST", "/v1/ledger/reprice", body=body))
    def ledger_versions(self, *, trace_id: str, span_id: str, if_none_match: str | None = None) -> LedgerVersionList:
        """List all versions of the rows of a repriced call, oldest first."""
        return cast("LedgerVersionList", self._call("GET", "/v1/ledger/versions", query={"trace_id": trace_id, "span_id": span_id}, headers={"If-None-Match": if_none_match}))
    def ledger_list(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None, agent_uuid: str | None = None, key_id: str | None = None, session_id: str | None = None, user_id: str | None = None, connection: str | None = None, model: str | None = None, dimension: Literal['in_text', 'in_audio', 'in_image', 'in_video', 'cache_read', 'cache_read_audio', 'cache_read_image', 'cache_write_5m', 'cache_write_30m', 'cache_write_1h', 'cache_write_12h', 'tool_prompt', 'out_text', 'out_reasoning', 'out_audio', 'out_image', 'out_video', 'out_citation', 'pred_rejected', 'request', 'web_search', 'web_fetch', 'grounding_query', 'file_search', 'code_exec_s', 'image_count', 'audio_s', 'cache_storage_token_hours', 'reported_cost'] | None = None, if_none_match: str | None = None) -> LedgerList:
        """List the ledger of model calls, one row per billed quantity, newest first."""
        return cast("LedgerList", self._call("GET", "/v1/ledger", query={"start": start, "end": end, "limit": limit, "cursor": cursor, "agent_uuid": agent_uuid, "key_id": key_id, "session_id": session_id, "user_id": user_id, "connection": connection, "model": model, "dimension": dimension}, headers={"If-None-Match": if_none_match}))
    def spotlight_overview(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, if_none_match: str | None = None) -> SpotlightOverview:
        """Calls, errors, latency, tokens and cost of a time range (default: the last 24 hours)."""
        return cast("SpotlightOverview", self._call("GET", "/v1/spotlight/overview", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare}, headers={"If-None-Match": if_none_match}))
    def spotlight_timeseries(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, interval: str | None = None, interval_ms: int | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, if_none_match: str | None = None) -> Timeseries:
        """Calls, errors and cost over time, in equal buckets."""
        return cast("Timeseries", self._call("GET", "/v1/spotlight/timeseries", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "interval": interval, "interval_ms": interval_ms, "group_by": group_by, "compare": compare}, headers={"If-None-Match": if_none_match}))
    def spotlight_usage(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightUsage:
        """Calls, tokens and cost by any fields and attributes."""
        return cast("SpotlightUsage", self._call("GET", "/v1/spotlight/usage", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_tools(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightTools:
        """Tools that were called."""
        return cast("SpotlightTools", self._call("GET", "/v1/spotlight/tools", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_resources(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightResources:
        """Resources of MCP servers that were read."""
        return cast("SpotlightResources", self._call("GET", "/v1/spotlight/resources", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_prompts(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightPrompts:
        """Prompts of MCP servers that were requested."""
        return cast("SpotlightPrompts", self._call("GET", "/v1/spotlight/prompts", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_servers(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightServers:
        """Servers whose tools were called."""
        return cast("SpotlightServers", self._call("GET", "/v1/spotlight/servers", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_agents(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightAgents:
        """Agents that called; those without an id were seen only in telemetry."""
        return cast("SpotlightAgents", self._call("GET", "/v1/spotlight/agents", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_models(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightModels:
        """Models that were called."""
        return cast("SpotlightModels", self._call("GET", "/v1/spotlight/models", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_users(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightUsers:
        """People, as named by clients."""
        return cast("SpotlightUsers", self._call("GET", "/v1/spotlight/users", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_clients(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightClients:
        """Client programs."""
        return cast("SpotlightClients", self._call("GET", "/v1/spotlight/clients", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_sessions(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightSessions:
        """Sessions: the runs of clients."""
        return cast("SpotlightSessions", self._call("GET", "/v1/spotlight/sessions", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_scores(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightScores:
        """Scores of a time range, by name."""
        return cast("SpotlightScores", self._call("GET", "/v1/spotlight/scores", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_ambiguous(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightAmbiguous:
        """List views that belong to one of several calls without it being known to which."""
        return cast("SpotlightAmbiguous", self._call("GET", "/v1/spotlight/ambiguous", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_facets(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, fields: list[str], of: Literal['calls', 'spans', 'sessions'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightFacets:
        """The most frequent values of chosen fields, with their counts."""
        return cast("SpotlightFacets", self._call("GET", "/v1/spotlight/facets", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "fields": fields, "of": of, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_errors(self, *, start: str | None = None, end: str | None = None, kind: Literal['tool_call', 'model_call', 'mcp'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent: str | None = None, server: str | None = None, tool: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, error_type: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, group_by: list[str] | None = None, compare: Literal['previous'] | None = None, sort: Literal['calls', 'errors', 'error_rate', 'p95', 'tokens', 'cost', 'last_seen', 'calls_change', 'errors_change', 'error_rate_change', 'p95_change', 'tokens_change', 'cost_change'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> SpotlightErrors:
        """What went wrong, by its kind and where."""
        return cast("SpotlightErrors", self._call("GET", "/v1/spotlight/errors", query={"start": start, "end": end, "kind": kind, "status": status, "agent": agent, "server": server, "tool": tool, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "error_type": error_type, "resource": resource, "prompt": prompt, "filter": filter, "group_by": group_by, "compare": compare, "sort": sort, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_session(self, id: str, *, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> SpotlightSession:
        """Get one session: model calls, tool calls and messages on one timeline, oldest first."""
        return cast("SpotlightSession", self._call("GET", f"/v1/spotlight/sessions/{part(id)}", query={"limit": limit, "cursor": cursor}, headers={"If-None-Match": if_none_match}))
    def spotlight_mcp_tool_selection(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, agent: str | None = None, server: str | None = None, if_none_match: str | None = None) -> ToolSelection:
        """List the tools that agents were offered and which of them they called; never called first."""
        return cast("ToolSelection", self._call("GET", "/v1/spotlight/mcp/tool-selection", query={"start": start, "end": end, "limit": limit, "agent": agent, "server": server}, headers={"If-None-Match": if_none_match}))
    def spotlight_mcp_definition_changes(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, agent: str | None = None, server: str | None = None, if_none_match: str | None = None) -> DefinitionChanges:
        """List changes of tool definitions with errors and latency before and after, newest first."""
        return cast("DefinitionChanges", self._call("GET", "/v1/spotlight/mcp/definition-changes", query={"start": start, "end": end, "limit": limit, "agent": agent, "server": server}, headers={"If-None-Match": if_none_match}))
    def spotlight_mcp_invalid_arguments(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, agent: str | None = None, server: str | None = None, if_none_match: str | None = None) -> InvalidArguments:
        """List arguments that servers rejected, by tool and field, most frequent first."""
        return cast("InvalidArguments", self._call("GET", "/v1/spotlight/mcp/invalid-arguments", query={"start": start, "end": end, "limit": limit, "agent": agent, "server": server}, headers={"If-None-Match": if_none_match}))
    def spotlight_mcp_retry_loops(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, agent: str | None = None, server: str | None = None, min_calls: int | None = None, if_none_match: str | None = None) -> RetryLoops:
        """List retry loops: repeated calls of one agent with the same tool and arguments, longest first."""
        return cast("RetryLoops", self._call("GET", "/v1/spotlight/mcp/retry-loops", query={"start": start, "end": end, "limit": limit, "agent": agent, "server": server, "min_calls": min_calls}, headers={"If-None-Match": if_none_match}))
    def spotlight_mcp_overlaps(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, agent: str | None = None, server: str | None = None, if_none_match: str | None = None) -> ToolOverlaps:
        """List tools of different servers with nearly the same name or description, most similar first."""
        return cast("ToolOverlaps", self._call("GET", "/v1/spotlight/mcp/overlaps", query={"start": start, "end": end, "limit": limit, "agent": agent, "server": server}, headers={"If-None-Match": if_none_match}))
    def spotlight_mcp_unregistered_servers(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, agent: str | None = None, if_none_match: str | None = None) -> UnregisteredServers:
        """List MCP servers that telemetry names and that are not registered, most calls first."""
        return cast("UnregisteredServers", self._call("GET", "/v1/spotlight/mcp/unregistered-servers", query={"start": start, "end": end, "limit": limit, "agent": agent}, headers={"If-None-Match": if_none_match}))
    def spotlight_releases(self, *, start: str | None = None, end: str | None = None, if_none_match: str | None = None) -> ServerReleaseList:
        """Compare the newest release of each server in a time range (default: the last 24 hours) with the previous one."""
        return cast("ServerReleaseList", self._call("GET", "/v1/spotlight/releases", query={"start": start, "end": end}, headers={"If-None-Match": if_none_match}))
    def spotlight_cache_misses(self, *, start: str | None = None, end: str | None = None, agent: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, cause: Literal['model_changed', 'connection_changed', 'cache_key_changed', 'not_marked', 'below_minimum', 'expired', 'tools_changed', 'system_changed', 'parameters_changed', 'history_compacted', 'messages_changed', 'concurrent', 'provider_miss'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> CacheMissList:
        """Cache misses: model calls that paid again for a cached prompt, why, and the extra cost, highest first."""
        return cast("CacheMissList", self._call("GET", "/v1/spotlight/cache-misses", query={"start": start, "end": end, "agent": agent, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "resource": resource, "prompt": prompt, "filter": filter, "cause": cause, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def spotlight_cache_miss(self, trace_id: str, span_id: str, *, if_none_match: str | None = None) -> CacheMissExplained:
        """Whether one model call missed the cache, why, what it cost, and where its prompt first differs."""
        return cast("CacheMissExplained", self._call("GET", f"/v1/spotlight/cache-misses/{part(trace_id)}/{part(span_id)}", headers={"If-None-Match": if_none_match}))
    def spotlight_call_views(self, trace_id: str, span_id: str, *, if_none_match: str | None = None) -> CallViews:
        """One call as its client, the gateway and its server saw it."""
        return cast("CallViews", self._call("GET", f"/v1/spotlight/calls/{part(trace_id)}/{part(span_id)}", headers={"If-None-Match": if_none_match}))
    def spotlight_tool_costs(self, *, start: str | None = None, end: str | None = None, agent: str | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, user: str | None = None, session: str | None = None, client: str | None = None, resource: str | None = None, prompt: str | None = None, filter: list[str] | None = None, by: Literal['tool', 'server', 'agent'] | None = None, limit: int | None = None, if_none_match: str | None = None) -> ToolCostList:
        """Get what tools cost in prompts: definitions and carried results, highest cost first."""
        return cast("ToolCostList", self._call("GET", "/v1/spotlight/tool-costs", query={"start": start, "end": end, "agent": agent, "provider": provider, "model": model, "connection": connection, "user": user, "session": session, "client": client, "resource": resource, "prompt": prompt, "filter": filter, "by": by, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def sharing_get(self, *, if_none_match: str | None = None) -> SharingSetting:
        """Get whether sessions of the workspace may be shared by link."""
        return cast("SharingSetting", self._call("GET", "/v1/sharing", headers={"If-None-Match": if_none_match}))
    def sharing_replace(self, body: SharingReplaceBody, *, if_match: str | None = None) -> SharingSetting:
        """Choose whether sessions may be shared by link."""
        return cast("SharingSetting", self._call("PUT", "/v1/sharing", body=body, headers={"If-Match": if_match}))
    def sharing_create(self, id: str, body: SharingCreateBody, *, idempotency_key: str | None = None) -> NewSessionShare:
        """Create a share link that shows one session, redacted, to everyone who has the link, until it expires."""
        return cast("NewSessionShare", self._call("POST", f"/v1/spotlight/sessions/{part(id)}/share", body=body, headers={"Idempotency-Key": idempotency_key}))
    def sharing_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['created_at', 'expires_at'] | None = None, session_id: str | None = None, if_none_match: str | None = None) -> SessionShareList:
        """List share links that have not expired."""
        return cast("SessionShareList", self._call("GET", "/v1/spotlight/shares", query={"page": page, "limit": limit, "order": order, "sort": sort, "session_id": session_id}, headers={"If-None-Match": if_none_match}))
    def sharing_revoke(self, shareid: str) -> None:
        """Revoke a link: it stops working."""
        self._call("DELETE", f"/v1/spotlight/shares/{part(shareid)}")
    def sharing_open(self, body: SharingOpenBody) -> SharedSession:
        """Get what a link shows of its session."""
        return cast("SharedSession", self._call("POST", "/shared/session", body=body))
    def questions_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['created_at', 'updated_at', 'name'] | None = None, if_none_match: str | None = None) -> QuestionList:
        """List saved views."""
        return cast("QuestionList", self._call("GET", "/v1/questions", query={"page": page, "limit": limit, "order": order, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def questions_create(self, body: QuestionsCreateBody, *, idempotency_key: str | None = None) -> Question:
        """Save a Spotlight query under a name."""
        return cast("Question", self._call("POST", "/v1/questions", body=body, headers={"Idempotency-Key": idempotency_key}))
    def questions_get(self, id: str, *, if_none_match: str | None = None) -> Question:
        """Get a saved view."""
        return cast("Question", self._call("GET", f"/v1/questions/{part(id)}", headers={"If-None-Match": if_none_match}))
    def questions_update(self, id: str, body: QuestionsUpdateBody, *, if_match: str | None = None) -> Question:
        """Change a saved view, and with it what its alerts watch."""
        return cast("Question", self._call("PATCH", f"/v1/questions/{part(id)}", body=body, headers={"If-Match": if_match}))
    def questions_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a saved view that no alert watches."""
        self._call("DELETE", f"/v1/questions/{part(id)}", headers={"If-Match": if_match})
    def questions_answer(self, id: str, *, if_none_match: str | None = None) -> QuestionAnswer:
        """Run a saved view now."""
        return cast("QuestionAnswer", self._call("GET", f"/v1/questions/{part(id)}/answer", headers={"If-None-Match": if_none_match}))
    def dashboards_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['created_at', 'updated_at', 'name'] | None = None, if_none_match: str | None = None) -> DashboardList:
        """List dashboards."""
        return cast("DashboardList", self._call("GET", "/v1/dashboards", query={"page": page, "limit": limit, "order": order, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def dashboards_create(self, body: DashboardsCreateBody, *, idempotency_key: str | None = None) -> Dashboard:
        """Create a dashboard: panels of saved views, for everyone in the workspace."""
        return cast("Dashboard", self._call("POST", "/v1/dashboards", body=body, headers={"Idempotency-Key": idempotency_key}))
    def dashboards_get(self, id: str, *, if_none_match: str | None = None) -> Dashboard:
        """Get a dashboard."""
        return cast("Dashboard", self._call("GET", f"/v1/dashboards/{part(id)}", headers={"If-None-Match": if_none_match}))
    def dashboards_update(self, id: str, body: DashboardsUpdateBody, *, if_match: str | None = None) -> Dashboard:
        """Change a dashboard; `panels` replaces all of them."""
        return cast("Dashboard", self._call("PATCH", f"/v1/dashboards/{part(id)}", body=body, headers={"If-Match": if_match}))
    def dashboards_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a dashboard; its saved views stay."""
        self._call("DELETE", f"/v1/dashboards/{part(id)}", headers={"If-Match": if_match})
    def alerts_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['created_at', 'updated_at', 'name', 'status'] | None = None, status: Literal['ok', 'firing', 'no_data', 'unknown'] | None = None, question_id: str | None = None, if_none_match: str | None = None) -> AlertList:
        """List alerts with their states."""
        return cast("AlertList", self._call("GET", "/v1/alerts", query={"page": page, "limit": limit, "order": order, "sort": sort, "status": status, "question_id": question_id}, headers={"If-None-Match": if_none_match}))
    def alerts_create(self, body: AlertsCreateBody, *, idempotency_key: str | None = None) -> Alert:
        """Create an alert on a figure of a saved view."""
        return cast("Alert", self._call("POST", "/v1/alerts", body=body, headers={"Idempotency-Key": idempotency_key}))
    def alerts_preview(self, body: AlertsPreviewBody) -> AlertPreview:
        """How often an alert would have fired in the last days."""
        return cast("AlertPreview", self._call("POST", "/v1/alerts/preview", body=body))
    def alerts_get(self, id: str, *, if_none_match: str | None = None) -> Alert:
        """Get an alert with its state."""
        return cast("Alert", self._call("GET", f"/v1/alerts/{part(id)}", headers={"If-None-Match": if_none_match}))
    def alerts_update(self, id: str, body: AlertsUpdateBody, *, if_match: str | None = None) -> Alert:
        """Change, mute, turn off or turn on an alert."""
        return cast("Alert", self._call("PATCH", f"/v1/alerts/{part(id)}", body=body, headers={"If-Match": if_match}))
    def alerts_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete an alert on a saved view; built-in alerts can only be turned off."""
        self._call("DELETE", f"/v1/alerts/{part(id)}", headers={"If-Match": if_match})
    def alerts_history(self, id: str, *, limit: int | None = None, if_none_match: str | None = None) -> AlertHistory:
        """The changes of an alert’s state in the last 90 days, newest first."""
        return cast("AlertHistory", self._call("GET", f"/v1/alerts/{part(id)}/history", query={"limit": limit}, headers={"If-None-Match": if_none_match}))
    def alerts_test(self, id: str) -> AlertTest:
        """Evaluate an alert now and send a test message; its state stays."""
        return cast("AlertTest", self._call("POST", f"/v1/alerts/{part(id)}/test"))
    def telemetry_logs(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None, severity_min: int | None = None, service: str | None = None, event_name: str | None = None, text: str | None = None, trace_id: str | None = None, attribute: list[str] | None = None, if_none_match: str | None = None) -> LogList:
        """List log records, newest first."""
        return cast("LogList", self._call("GET", "/v1/telemetry/logs", query={"start": start, "end": end, "limit": limit, "cursor": cursor, "severity_min": severity_min, "service": service, "event_name": event_name, "text": text, "trace_id": trace_id, "attribute": attribute}, headers={"If-None-Match": if_none_match}))
    def telemetry_metrics(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None, service: str | None = None, attribute: list[str] | None = None, if_none_match: str | None = None) -> MetricList:
        """List the metrics of a time range with their kinds and units, by name."""
        return cast("MetricList", self._call("GET", "/v1/telemetry/metrics", query={"start": start, "end": end, "limit": limit, "cursor": cursor, "service": service, "attribute": attribute}, headers={"If-None-Match": if_none_match}))
    def telemetry_spans(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None, source: Literal['otlp', 'gateway', 'model_proxy'] | None = None, kind: Literal['tool_call', 'mcp', 'model_call', 'other'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent_uuid: str | None = None, server_id: str | None = None, credential_id: str | None = None, tool: str | None = None, session_id: str | None = None, user_id: str | None = None, service: str | None = None, calls: Literal['all', 'failed', 'counted', 'counted_failed'] | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, client: str | None = None, error_type: str | None = None, attribute: list[str] | None = None, filter: list[str] | None = None, if_none_match: str | None = None) -> SpanList:
        """List spans, newest first."""
        return cast("SpanList", self._call("GET", "/v1/telemetry/spans", query={"start": start, "end": end, "limit": limit, "cursor": cursor, "source": source, "kind": kind, "status": status, "agent_uuid": agent_uuid, "server_id": server_id, "credential_id": credential_id, "tool": tool, "session_id": session_id, "user_id": user_id, "service": service, "calls": calls, "provider": provider, "model": model, "connection": connection, "client": client, "error_type": error_type, "attribute": attribute, "filter": filter}, headers={"If-None-Match": if_none_match}))
    def telemetry_trace(self, trace_id: str, *, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> Trace:
        """Get all spans of a trace."""
        return cast("Trace", self._call("GET", f"/v1/telemetry/traces/{part(trace_id)}", query={"limit": limit, "cursor": cursor}, headers={"If-None-Match": if_none_match}))
    def telemetry_log_facets(self, *, start: str | None = None, end: str | None = None, severity_min: int | None = None, service: str | None = None, event_name: str | None = None, text: str | None = None, trace_id: str | None = None, attribute: list[str] | None = None, fields: list[str] | None = None, limit: int | None = None, if_none_match: str | None = None) -> TelemetryFacets:
        """List the most frequent severities, services, event names and attributes of log records with their counts."""
        return cast("TelemetryFacets", self._call("GET", "/v1/telemetry/logs/facets", query={"start": start, "end": end, "severity_min": severity_min, "service": service, "event_name": event_name, "text": text, "trace_id": trace_id, "attribute": attribute, "fields": fields, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def telemetry_metric_facets(self, *, start: str | None = None, end: str | None = None, service: str | None = None, attribute: list[str] | None = None, fields: list[str] | None = None, limit: int | None = None, if_none_match: str | None = None) -> TelemetryFacets:
        """List the most frequent services and attributes of data points with their counts."""
        return cast("TelemetryFacets", self._call("GET", "/v1/telemetry/metrics/facets", query={"start": start, "end": end, "service": service, "attribute": attribute, "fields": fields, "limit": limit}, headers={"If-None-Match": if_none_match}))
    def instance_recorder(self, *, if_none_match: str | None = None) -> RecorderState:
        """Get how much of the acknowledged telemetry is stored and how much is still in the log."""
        return cast("RecorderState", self._call("GET", "/v1/instance/recorder", headers={"If-None-Match": if_none_match}))
    def telemetry_traces(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None, source: Literal['otlp', 'gateway', 'model_proxy'] | None = None, kind: Literal['tool_call', 'mcp', 'model_call', 'other'] | None = None, status: Literal['ok', 'error', 'denied', 'cut', 'interrupted', 'unset'] | None = None, agent_uuid: str | None = None, server_id: str | None = None, credential_id: str | None = None, tool: str | None = None, session_id: str | None = None, user_id: str | None = None, service: str | None = None, calls: Literal['all', 'failed', 'counted', 'counted_failed'] | None = None, provider: str | None = None, model: str | None = None, connection: str | None = None, client: str | None = None, error_type: str | None = None, attribute: list[str] | None = None, filter: list[str] | None = None, if_none_match: str | None = None) -> TraceList:
        """List traces with a matching span, ordered by their first span in the range, newest first."""
        return cast("TraceList", self._call("GET", "/v1/telemetry/traces", query={"start": start, "end": end, "limit": limit, "cursor": cursor, "source": source, "kind": kind, "status": status, "agent_uuid": agent_uuid, "server_id": server_id, "credential_id": credential_id, "tool": tool, "session_id": session_id, "user_id": user_id, "service": service, "calls": calls, "provider": provider, "model": model, "connection": connection, "client": client, "error_type": error_type, "attribute": attribute, "filter": filter}, headers={"If-None-Match": if_none_match}))
    def telemetry_resources(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None, service: str | None = None, attribute: list[str] | None = None, if_none_match: str | None = None) -> TelemetryResourceList:
        """List who sent telemetry in a time range, by service."""
        return cast("TelemetryResourceList", self._call("GET", "/v1/telemetry/resources", query={"start": start, "end": end, "limit": limit, "cursor": cursor, "service": service, "attribute": attribute}, headers={"If-None-Match": if_none_match}))
    def telemetry_messages(self, trace_id: str, span_id: str, *, if_none_match: str | None = None) -> CarriedMessages:
        """Get the content of a call: messages and answer of a model call, arguments and result of a tool call."""
        return cast("CarriedMessages", self._call("GET", f"/v1/telemetry/traces/{part(trace_id)}/spans/{part(span_id)}/messages", headers={"If-None-Match": if_none_match}))
    def telemetry_tool_links(self, *, session_id: str, if_none_match: str | None = None) -> ToolLinks:
        """List the tool uses that models of a session requested, the calls they caused, and where the results went."""
        return cast("ToolLinks", self._call("GET", "/v1/telemetry/tool-links", query={"session_id": session_id}, headers={"If-None-Match": if_none_match}))
    def telemetry_points(self, *, start: str | None = None, end: str | None = None, metric: str, aggregate: Literal['avg', 'sum', 'min', 'max', 'last', 'count', 'rate', 'p50', 'p75', 'p90', 'p95', 'p99'] | None = None, group_by: list[str] | None = None, interval_ms: int | None = None, service: str | None = None, attribute: list[str] | None = None, if_none_match: str | None = None) -> MetricPoints:
        """Get a metric over time, in series by attributes."""
        return cast("MetricPoints", self._call("GET", "/v1/telemetry/metrics/points", query={"start": start, "end": end, "metric": metric, "aggregate": aggregate, "group_by": group_by, "interval_ms": interval_ms, "service": service, "attribute": attribute}, headers={"If-None-Match": if_none_match}))
    def scores_list(self, *, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None, trace_id: str | None = None, span_id: str | None = None, session_id: str | None = None, name: str | None = None, source: Literal['person', 'model', 'code', 'end_user'] | None = None, if_none_match: str | None = None) -> ScoreList:
        """List scores and evaluation results, newest first."""
        return cast("ScoreList", self._call("GET", "/v1/scores", query={"start": start, "end": end, "limit": limit, "cursor": cursor, "trace_id": trace_id, "span_id": span_id, "session_id": session_id, "name": name, "source": source}, headers={"If-None-Match": if_none_match}))
    def scores_create(self, body: ScoresCreateBody, *, idempotency_key: str | None = None) -> Score:
        """Score a trace, a call or a session."""
        return cast("Score", self._call("POST", "/v1/scores", body=body, headers={"Idempotency-Key": idempotency_key}))
    def langfuse_projects(self, *, if_none_match: str | None = None) -> LangfuseProjects:
        """Answer `auth_check` of Langfuse’s SDKs."""
        return cast("LangfuseProjects", self._call("GET", "/api/public/projects", headers={"If-None-Match": if_none_match}))
    def langfuse_ingestion(self, body: LangfuseIngestionBody) -> LangfuseIngestion:
        """Receive scores from Langfuse’s SDKs up to version 4, and version 5 for JavaScript."""
        return cast("LangfuseIngestion", self._call("POST", "/api/public/ingestion", body=body))
    def langfuse_scores(self, body: LangfuseScore | list[LangfuseScore]) -> LangfuseScoreId:
        """Receive one score or a list from Langfuse’s SDK 5 for Python."""
        return cast("LangfuseScoreId", self._call("POST", "/api/public/scores", body=body))
    def redaction_rules_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['name', 'created_at', 'updated_at'] | None = None, if_none_match: str | None = None) -> RedactionRuleList:
        """List the workspace's redaction rules."""
        return cast("RedactionRuleList", self._call("GET", "/v1/redaction-rules", query={"page": page, "limit": limit, "order": order, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def redaction_rules_create(self, body: RedactionRulesCreateBody, *, idempotency_key: str | None = None) -> RedactionRule:
        """Create a redaction rule: removes more from telemetry before it is stored."""
        return cast("RedactionRule", self._call("POST", "/v1/redaction-rules", body=body, headers={"Idempotency-Key": idempotency_key}))
    def redaction_rules_try(self, body: RedactionRulesTryBody) -> RedactionTrial:
        """Try redaction on a text; nothing is stored."""
        return cast("RedactionTrial", self._call("POST", "/v1/redaction-rules/try", body=body))
    def redaction_rules_get(self, id: str, *, if_none_match: str | None = None) -> RedactionRule:
        """Get a redaction rule."""
        return cast("RedactionRule", self._call("GET", f"/v1/redaction-rules/{part(id)}", headers={"If-None-Match": if_none_match}))
    def redaction_rules_update(self, id: str, body: RedactionRulesUpdateBody, *, if_match: str | None = None) -> RedactionRule:
        """Change a redaction rule; stored data does not change."""
        return cast("RedactionRule", self._call("PATCH", f"/v1/redaction-rules/{part(id)}", body=body, headers={"If-Match": if_match}))
    def redaction_rules_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a redaction rule; the built-in detectors stay."""
        self._call("DELETE", f"/v1/redaction-rules/{part(id)}", headers={"If-Match": if_match})
    def retention_get(self, *, if_none_match: str | None = None) -> Retention:
        """Get how long the telemetry of the workspace is kept."""
        return cast("Retention", self._call("GET", "/v1/retention", headers={"If-None-Match": if_none_match}))
    def retention_replace(self, body: RetentionReplaceBody, *, if_match: str | None = None) -> Retention:
        """Set how long newly arriving telemetry of the workspace is kept."""
        return cast("Retention", self._call("PUT", "/v1/retention", body=body, headers={"If-Match": if_match}))
    def telemetry_erasures_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['created_at'] | None = None, if_none_match: str | None = None) -> ErasureList:
        """List erasures of telemetry."""
        return cast("ErasureList", self._call("GET", "/v1/telemetry/erasures", query={"page": page, "limit": limit, "order": order, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def telemetry_erasures_create(self, body: TelemetryErasuresCreateBody) -> Erasure:
        """Erase the telemetry of one session or one person."""
        return cast("Erasure", self._call("POST", "/v1/telemetry/erasures", body=body))
    def telemetry_renormalisations_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['created_at'] | None = None, if_none_match: str | None = None) -> RenormalisationList:
        """List renormalisations of stored spans."""
        return cast("RenormalisationList", self._call("GET", "/v1/telemetry/renormalisations", query={"page": page, "limit": limit, "order": order, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def telemetry_renormalisations_create(self, body: TelemetryRenormalisationsCreateBody) -> Renormalisation:
        """Map stored spans of an older version of the program again."""
        return cast("Renormalisation", self._call("POST", "/v1/telemetry/renormalisations", body=body))
    def call_recording_get(self, *, if_none_match: str | None = None) -> CallRecording:
        """Get what is recorded of calls, and what happens when they cannot be recorded."""
        return cast("CallRecording", self._call("GET", "/v1/call-recording", headers={"If-None-Match": if_none_match}))
    def call_recording_replace(self, body: CallRecordingReplaceBody, *, if_match: str | None = None) -> CallRecording:
        """Set what is recorded of calls, and what happens when they cannot be recorded."""
        return cast("CallRecording", self._call("PUT", "/v1/call-recording", body=body, headers={"If-Match": if_match}))
    def webhooks_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['created_at', 'updated_at', 'url'] | None = None, if_none_match: str | None = None) -> WebhookList:
        """List webhooks."""
        return cast("WebhookList", self._call("GET", "/v1/webhooks", query={"page": page, "limit": limit, "order": order, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def webhooks_create(self, body: WebhooksCreateBody, *, idempotency_key: str | None = None) -> NewWebhook:
        """Create a webhook: events are sent to its address; the signing secret is shown once."""
        return cast("NewWebhook", self._call("POST", "/v1/webhooks", body=body, headers={"Idempotency-Key": idempotency_key}))
    def webhooks_get(self, id: str, *, if_none_match: str | None = None) -> Webhook:
        """Get a webhook, without its secret."""
        return cast("Webhook", self._call("GET", f"/v1/webhooks/{part(id)}", headers={"If-None-Match": if_none_match}))
    def webhooks_update(self, id: str, body: WebhooksUpdateBody, *, if_match: str | None = None) -> ChangedWebhook:
        """Change a webhook; another origin gets a new secret, shown once in the answer."""
        return cast("ChangedWebhook", self._call("PATCH", f"/v1/webhooks/{part(id)}", body=body, headers={"If-Match": if_match}))
    def webhooks_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a webhook with its deliveries."""
        self._call("DELETE", f"/v1/webhooks/{part(id)}", headers={"If-Match": if_match})
    def webhooks_rotate_secret(self, id: str, *, idempotency_key: str | None = None) -> NewWebhook:
        """Rotate the signing secret of a webhook; the new one is shown once, the old one also signs for 24 hours."""
        return cast("NewWebhook", self._call("POST", f"/v1/webhooks/{part(id)}/rotate-secret", headers={"Idempotency-Key": idempotency_key}))
    def webhooks_test(self, id: str, *, idempotency_key: str | None = None) -> Delivery:
        """Queue a `webhook.test` event for this webhook."""
        return cast("Delivery", self._call("POST", f"/v1/webhooks/{part(id)}/test", headers={"Idempotency-Key": idempotency_key}))
    def webhooks_deliveries(self, id: str, *, status: Literal['pending', 'delivered', 'failed'] | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> DeliveryList:
        """List deliveries to a webhook and their outcomes, newest first; kept for seven days."""
        return cast("DeliveryList", self._call("GET", f"/v1/webhooks/{part(id)}/deliveries", query={"status": status, "limit": limit, "cursor": cursor}, headers={"If-None-Match": if_none_match}))
    def webhooks_delivery(self, id: str, deliveryid: str, *, if_none_match: str | None = None) -> DeliveryDetail:
        """Get a delivery with its body and the last answer of the receiver."""
        return cast("DeliveryDetail", self._call("GET", f"/v1/webhooks/{part(id)}/deliveries/{part(deliveryid)}", headers={"If-None-Match": if_none_match}))
    def webhooks_replay(self, id: str, deliveryid: str, *, idempotency_key: str | None = None) -> Delivery:
        """Send a delivery again with the same `webhook-id`, as a new entry in the log."""
        return cast("Delivery", self._call("POST", f"/v1/webhooks/{part(id)}/deliveries/{part(deliveryid)}/replay", headers={"Idempotency-Key": idempotency_key}))
    def forwarders_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['created_at', 'updated_at', 'name'] | None = None, if_none_match: str | None = None) -> ForwarderList:
        """List forwarders with their progress."""
        return cast("ForwarderList", self._call("GET", "/v1/forwarders", query={"page": page, "limit": limit, "order": order, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def forwarders_create(self, body: ForwardersCreateBody, *, idempotency_key: str | None = None) -> Forwarder:
        """Send telemetry or audit records to another system from now on, as they are stored."""
        return cast("Forwarder", self._call("POST", "/v1/forwarders", body=body, headers={"Idempotency-Key": idempotency_key}))
    def forwarders_get(self, id: str, *, if_none_match: str | None = None) -> Forwarder:
        """Get a forwarder with its progress."""
        return cast("Forwarder", self._call("GET", f"/v1/forwarders/{part(id)}", headers={"If-None-Match": if_none_match}))
    def forwarders_update(self, id: str, body: ForwardersUpdateBody, *, if_match: str | None = None) -> Forwarder:
        """Change a forwarder; another origin erases its stored headers."""
        return cast("Forwarder", self._call("PATCH", f"/v1/forwarders/{part(id)}", body=body, headers={"If-Match": if_match}))
    def forwarders_delete(self, id: str, *, if_match: str | None = None) -> None:
        """Delete a forwarder."""
        self._call("DELETE", f"/v1/forwarders/{part(id)}", headers={"If-Match": if_match})
    def forwarders_test(self, id: str) -> ForwarderTest:
        """Send the receiver an empty OTLP request for each signal, or one syslog message, and report its answer."""
        return cast("ForwarderTest", self._call("POST", f"/v1/forwarders/{part(id)}/test"))
    def limits_list(self, *, if_none_match: str | None = None) -> LimitList:
        """Get the rate limits of the workspace."""
        return cast("LimitList", self._call("GET", "/v1/limits", headers={"If-None-Match": if_none_match}))
    def limits_replace(self, body: LimitsReplaceBody, *, if_match: str | None = None) -> LimitList:
        """Set the rate limits of the workspace, within those of the instance."""
        return cast("LimitList", self._call("PUT", "/v1/limits", body=body, headers={"If-Match": if_match}))
    def audit_list(self, *, actor: str | None = None, action: str | None = None, target: str | None = None, start: str | None = None, end: str | None = None, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> AuditList:
        """List changes and denied management calls, newest first."""
        return cast("AuditList", self._call("GET", "/v1/audit", query={"actor": actor, "action": action, "target": target, "start": start, "end": end, "limit": limit, "cursor": cursor}, headers={"If-None-Match": if_none_match}))
    def audit_verify(self, *, if_none_match: str | None = None) -> AuditVerification:
        """Recompute the chain of the audit log and name the first record that was changed or removed."""
        return cast("AuditVerification", self._call("GET", "/v1/audit/verify", headers={"If-None-Match": if_none_match}))
    def denials_list(self, *, limit: int | None = None, cursor: str | None = None, if_none_match: str | None = None) -> DenialList:
        """Refusals of callers without a valid credential, by address and minute, newest first."""
        return cast("DenialList", self._call("GET", "/v1/denials", query={"limit": limit, "cursor": cursor}, headers={"If-None-Match": if_none_match}))
    def auth_methods(self) -> SignInMethods:
        """How people can sign in, and whether the instance still needs its first operator."""
        return cast("SignInMethods", self._call("GET", "/auth/methods"))
    def auth_setup(self, body: AuthSetupBody) -> Session:
        """Use the one-time setup link: creates the operator and the workspace `default`."""
        return cast("Session", self._call("POST", "/auth/setup", body=body))
    def auth_register(self, body: AuthRegisterBody) -> Session:
        """Register with e-mail and password; creates a workspace of your own."""
        return cast("Session", self._call("POST", "/auth/register", body=body))
    def auth_login(self, body: AuthLoginBody) -> Session:
        """Log in with e-mail and password."""
        return cast("Session", self._call("POST", "/auth/login", body=body))
    def auth_refresh(self, body: AuthRefreshBody | None = None) -> Session:
        """Exchange a refresh token for a new pair; reuse of an old one revokes the whole session."""
        return cast("Session", self._call("POST", "/auth/refresh", body=body))
    def auth_switch(self, body: AuthSwitchBody) -> AccessToken:
        """Get an access token for another workspace of the same person."""
        return cast("AccessToken", self._call("POST", "/auth/switch", body=body))
    def auth_logout(self) -> None:
        """Revoke the current session."""
        self._call("POST", "/auth/logout")
    def auth_me(self, *, if_none_match: str | None = None) -> Me:
        """The signed-in person and the current workspace."""
        return cast("Me", self._call("GET", "/auth/me", headers={"If-None-Match": if_none_match}))
    def auth_me_update(self, body: AuthMeUpdateBody, *, if_match: str | None = None) -> User:
        """Choose the time zone in which the dashboard shows you times."""
        return cast("User", self._call("PATCH", "/auth/me", body=body, headers={"If-Match": if_match}))
    def auth_sessions(self, *, if_none_match: str | None = None) -> AuthSessionsAnswer:
        """The live sessions of the signed-in person."""
        return cast("AuthSessionsAnswer", self._call("GET", "/auth/sessions", headers={"If-None-Match": if_none_match}))
    def auth_sessions_end(self, *, keep_current: bool | None = None) -> None:
        """Sign out everywhere."""
        self._call("DELETE", "/auth/sessions", query={"keep_current": keep_current})
    def auth_sessions_revoke(self, id: str) -> None:
        """Revoke one of your own sessions."""
        self._call("DELETE", f"/auth/sessions/{part(id)}")
    def auth_jwks(self) -> Jwks:
        """The public keys that access tokens are signed with."""
        return cast("Jwks", self._call("GET", "/.well-known/jwks.json"))
    def auth_verify(self, body: AuthVerifyBody) -> VerifiedAddress:
        """Confirm an e-mail address by the link that was sent to it."""
        return cast("VerifiedAddress", self._call("POST", "/auth/verify", body=body))
    def auth_verify_resend(self) -> None:
        """Send the link that confirms your address again."""
        self._call("POST", "/auth/verify/resend")
    def auth_password_forgot(self, body: AuthPasswordForgotBody) -> None:
        """Send a link that resets the password."""
        self._call("POST", "/auth/password/forgot", body=body)
    def auth_password_reset(self, body: AuthPasswordResetBody) -> None:
        """Set a new password by the link that was sent."""
        self._call("POST", "/auth/password/reset", body=body)
    def auth_password_change(self, body: AuthPasswordChangeBody) -> None:
        """Change your own password."""
        self._call("POST", "/auth/password/change", body=body)
    def auth_oauth_start(self, provider: str, *, return_to: str | None = None) -> None:
        """Start signing in with a provider."""
        self._call("GET", f"/auth/oauth/{part(provider)}/start", query={"return_to": return_to})
    def auth_oauth_callback(self, provider: str, *, code: str | None = None, state: str | None = None, iss: str | None = None, error: str | None = None) -> None:
        """Receive the browser back from the provider."""
        self._call("GET", f"/auth/oauth/{part(provider)}/callback", query={"code": code, "state": state, "iss": iss, "error": error})
    def auth_oauth_link(self, provider: str, body: AuthOauthLinkBody | None = None) -> LinkStart:
        """Start linking a provider account to the signed-in person."""
        return cast("LinkStart", self._call("POST", f"/auth/oauth/{part(provider)}/link", body=body))
    def auth_identities(self, *, if_none_match: str | None = None) -> AuthIdentitiesAnswer:
        """List the provider accounts that the signed-in person can sign in with."""
        return cast("AuthIdentitiesAnswer", self._call("GET", "/auth/identities", headers={"If-None-Match": if_none_match}))
    def auth_identities_unlink(self, id: str) -> None:
        """Unlink a provider account; memberships given by its groups end."""
        self._call("DELETE", f"/auth/identities/{part(id)}")
    def mail_links_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, if_none_match: str | None = None) -> MailLinkList:
        """List undelivered mail links, for an operator to pass on."""
        return cast("MailLinkList", self._call("GET", "/v1/mail-links", query={"page": page, "limit": limit, "order": order}, headers={"If-None-Match": if_none_match}))
    def workspaces_list(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, sort: Literal['name', 'created_at'] | None = None, if_none_match: str | None = None) -> WorkspaceList:
        """List the workspaces that you are a member of."""
        return cast("WorkspaceList", self._call("GET", "/v1/workspaces", query={"page": page, "limit": limit, "order": order, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def workspaces_create(self, body: WorkspacesCreateBody, *, idempotency_key: str | None = None) -> Workspace:
        """Create a workspace; you become its owner."""
        return cast("Workspace", self._call("POST", "/v1/workspaces", body=body, headers={"Idempotency-Key": idempotency_key}))
    def workspaces_get(self, id: str, *, if_none_match: str | None = None) -> Workspace:
        """Get the workspace of this credential."""
        return cast("Workspace", self._call("GET", f"/v1/workspaces/{part(id)}", headers={"If-None-Match": if_none_match}))
    def workspaces_update(self, id: str, body: WorkspacesUpdateBody, *, if_match: str | None = None) -> Workspace:
        """Rename a workspace."""
        return cast("Workspace", self._call("PATCH", f"/v1/workspaces/{part(id)}", body=body, headers={"If-Match": if_match}))
    def workspaces_delete(self, id: str, *, confirm: str, if_match: str | None = None) -> None:
        """Delete a workspace with everything in it."""
        self._call("DELETE", f"/v1/workspaces/{part(id)}", query={"confirm": confirm}, headers={"If-Match": if_match})
    def demo_get(self, *, if_none_match: str | None = None) -> Demo:
        """Get the state of the demo workspace."""
        return cast("Demo", self._call("GET", "/v1/demo", headers={"If-None-Match": if_none_match}))
    def demo_create(self) -> Demo:
        """Create the demo, a workspace with a day of traffic that can be removed again; you become its owner."""
        return cast("Demo", self._call("POST", "/v1/demo"))
    def demo_delete(self) -> None:
        """Remove the demo workspace with everything in it, its telemetry too."""
        self._call("DELETE", "/v1/demo")
    def members_list(self, id: str, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, q: str | None = None, role: Literal['viewer', 'auditor', 'member', 'admin', 'owner'] | None = None, sort: Literal['email', 'joined_at'] | None = None, if_none_match: str | None = None) -> MemberList:
        """List the members of the workspace."""
        return cast("MemberList", self._call("GET", f"/v1/workspaces/{part(id)}/members", query={"page": page, "limit": limit, "order": order, "q": q, "role": role, "sort": sort}, headers={"If-None-Match": if_none_match}))
    def members_update(self, id: str, userid: str, body: MembersUpdateBody) -> Member:
        """Change the role of a member."""
        return cast("Member", self._call("PATCH", f"/v1/workspaces/{part(id)}/members/{part(userid)}", body=body))
    def members_remove(self, id: str, userid: str) -> None:
        """Remove a member, or leave the workspace yourself."""
        self._call("DELETE", f"/v1/workspaces/{part(id)}/members/{part(userid)}")
    def invitations_list(self, id: str, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, if_none_match: str | None = None) -> InvitationList:
        """List the invitations that are still open."""
        return cast("InvitationList", self._call("GET", f"/v1/workspaces/{part(id)}/invitations", query={"page": page, "limit": limit, "order": order}, headers={"If-None-Match": if_none_match}))
    def invitations_create(self, id: str, body: InvitationsCreateBody, *, idempotency_key: str | None = None) -> NewInvitation:
        """Invite a person by e-mail."""
        return cast("NewInvitation", self._call("POST", f"/v1/workspaces/{part(id)}/invitations", body=body, headers={"Idempotency-Key": idempotency_key}))
    def invitations_revoke(self, id: str, invitationid: str) -> None:
        """Revoke an invitation: its link stops working."""
        self._call("DELETE", f"/v1/workspaces/{part(id)}/invitations/{part(invitationid)}")
    def invitations_resend(self, id: str, invitationid: str) -> NewInvitation:
        """Send a new link with the same lifetime; the old one stops working."""
        return cast("NewInvitation", self._call("POST", f"/v1/workspaces/{part(id)}/invitations/{part(invitationid)}/resend"))
    def invitations_preview(self, body: InvitationsPreviewBody) -> InvitationPreview:
        """Get what an invitation is for, before accepting it."""
        return cast("InvitationPreview", self._call("POST", "/auth/invitations/preview", body=body))
    def invitations_accept(self, body: InvitationsAcceptBody) -> Session:
        """Accept an invitation: a new person gets an account and a session, others join as themselves."""
        return cast("Session", self._call("POST", "/auth/invitations/accept", body=body))
    def settings_get(self, *, if_none_match: str | None = None) -> Settings:
        """Get the settings of the instance with the source of each value."""
        return cast("Settings", self._call("GET", "/v1/settings", headers={"If-None-Match": if_none_match}))
    def settings_update(self, body: SettingsUpdateBody, *, if_match: str | None = None) -> Settings:
        """Change settings of the instance; effective at once."""
        return cast("Settings", self._call("PATCH", "/v1/settings", body=body, headers={"If-Match": if_match}))
    def instance_workspaces(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, q: str | None = None, if_none_match: str | None = None) -> InstanceWorkspaceList:
        """List every workspace of the instance with its rights."""
        return cast("InstanceWorkspaceList", self._call("GET", "/v1/instance/workspaces", query={"page": page, "limit": limit, "order": order, "q": q}, headers={"If-None-Match": if_none_match}))
    def instance_rights(self, id: str, body: WorkspaceRights) -> InstanceWorkspace:
        """Give or take away a right of a workspace."""
        return cast("InstanceWorkspace", self._call("PATCH", f"/v1/workspaces/{part(id)}/rights", body=body))
    def instance_operators(self, *, page: int | None = None, limit: int | None = None, order: Literal['asc', 'desc'] | None = None, if_none_match: str | None = None) -> OperatorList:
        """List the operators of the instance."""
        return cast("OperatorList", self._call("GET", "/v1/operators", query={"page": page, "limit": limit, "order": order}, headers={"If-None-Match": if_none_match}))
    def instance_master_key(self, *, if_none_match: str | None = None) -> MasterKey:
        """Get the current master key and the progress of its rotation."""
        return cast("MasterKey", self._call("GET", "/v1/instance/master-key", headers={"If-None-Match": if_none_match}))
    def instance_rotate_master_key(self) -> MasterKey:
        """Replace the master key; every stored secret is sealed again while the instance runs."""
        return cast("MasterKey", self._call("POST", "/v1/instance/master-key/rotate"))
    def instance_signing_keys(self, *, if_none_match: str | None = None) -> SigningKeyList:
        """List the keys that sign access tokens, newest first."""
        return cast("SigningKeyList", self._call("GET", "/v1/instance/signing-keys", headers={"If-None-Match": if_none_match}))
    def instance_rotate_signing_keys(self, body: InstanceRotateSigningKeysBody | None = None) -> SigningKeyList:
        """Sign access tokens with a new key."""
        return cast("SigningKeyList", self._call("POST", "/v1/instance/signing-keys/rotate", body=body))
    def instance_clock(self, *, if_none_match: str | None = None) -> InstanceClock:
        """Get whether the clock of the machine is trusted, and which time deletions use."""
        return cast("InstanceClock", self._call("GET", "/v1/instance/clock", headers={"If-None-Match": if_none_match}))
    def instance_confirm_clock(self) -> InstanceClock:
        """Confirm that the clock is right although it jumped far ahead."""
        return cast("InstanceClock", self._call("POST", "/v1/instance/clock/confirm"))
    def system_livez(self) -> Status:
        """Whether the process runs."""
        return cast("Status", self._call("GET", "/livez"))
    def system_healthz(self) -> Status:
        """Alias of /livez."""
        return cast("Status", self._call("GET", "/healthz"))
    def system_readyz(self, *, verbose: str | None = None) -> Readiness:
        """Whether the program can serve: stores writable and migrated, not draining (otherwise 503)."""
        return cast("Readiness", self._call("GET", "/readyz", query={"verbose": verbose}))
    def system_version(self) -> Version:
        """Get the version of the program."""
        return cast("Version", self._call("GET", "/version"))
