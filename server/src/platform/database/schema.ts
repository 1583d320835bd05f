import type { Generated } from 'kysely'
import type {
	AccessReviewTables,
	ApprovalTables,
	GrantTables,
	PeerMessageTables,
	TaskTables,
	ToolDefinitionTables,
} from './schema/access.ts'
import type {
	AccountTables,
	FederationTables,
	HttpTables,
	InstanceKeyTables,
	OauthTables,
	SharingTables,
	WorkspaceTables,
} from './schema/accounts.ts'
import type { AlertTables, DemoTables, EventTables, JobTables } from './schema/events.ts'
import type { BudgetTables, ModelCallTables, ModelProxyTables } from './schema/models.ts'
import type {
	CallRecordingTables,
	ForwarderTables,
	RedactionTables,
	RenormalisationTables,
	RetentionTables,
} from './schema/telemetry.ts'

/**
 * The tables of the control store. Portable over SQLite and PostgreSQL: ids and JSON are text, times are integer
 * milliseconds (UTC), truth values are 0 or 1. The DDL is in `server/migrations`.
 */
export interface ControlSchema
	extends AccessReviewTables,
		AccountTables,
		AlertTables,
		ApprovalTables,
		BudgetTables,
		CallRecordingTables,
		DemoTables,
		EventTables,
		FederationTables,
		ForwarderTables,
		HttpTables,
		InstanceKeyTables,
		GrantTables,
		JobTables,
		PeerMessageTables,
		ModelCallTables,
		ModelProxyTables,
		OauthTables,
		RedactionTables,
		RenormalisationTables,
		RetentionTables,
		SharingTables,
		TaskTables,
		ToolDefinitionTables,
		WorkspaceTables {
	workspaces: {
		id: string
		name: string
		/** Part of the URLs of the dashboard; it survives a rename. */
		slug: Generated<string>
		/** Whether an operator allows it to register programs (stdio servers). */
		stdio_allowed: Generated<number>
		created_at: number
		updated_at: number
	}
	users: {
		id: string
		email: string
		name: string
		password_hash: string | null
		verified: number
		operator: number
		/** Time zone in which the person reads times; null: the browser's. */
		time_zone: string | null
		created_at: number
		updated_at: number
	}
	members: {
		workspace_id: string
		user_id: string
		role: string
		/** `manual`, or the issuer whose groups grant the membership. */
		source: Generated<string>
		/** JSON array: the groups of agents that the group mapping gives the person here. */
		agent_groups: Generated<string>
		created_at: number
	}
	sessions: {
		id: string
		user_id: string
		workspace_id: string
		/** SHA-256 of the current refresh token. */
		refresh_hash: string
		/** SHA-256 of the previous refresh token, which is accepted once more for a few seconds; older ones revoke the session. */
		previous_refresh_hash: string | null
		rotated_at: number
		user_agent: string
		address: string
		created_at: number
		last_used_at: number
		expires_at: number
		revoked_at: number | null
	}
	setup_links: { id: string; secret_hash: string; expires_at: number; used_at: number | null }
	signing_keys: { id: string; public_jwk: string; sealed_private_jwk: string; created_at: number }
	credentials: {
		id: string
		workspace_id: string
		/** platform | agent | ingest | oauth: the access token of a grant in `oauth_grants` */
		kind: string
		name: string
		/** SHA-256 of the secret, hex. */
		hash: string
		prefix: string
		last4: string
		/** JSON array. */
		scopes: string
		agent_id: string | null
		created_by: string | null
		created_at: number
		last_used_at: number | null
		expires_at: number | null
		revoked_at: number | null
		/** JSON array of addresses and networks, or null: no restriction. */
		allowed_addresses: string | null
		/** The rotated secret that waits for its first use, and how long the current one stays valid after that. */
		next_hash: string | null
		next_prefix: string | null
		next_last4: string | null
		next_created_at: number | null
		next_grace_ms: number | null
		/** The previous secret, valid until `previous_expires_at`. */
		previous_hash: string | null
		previous_prefix: string | null
		previous_last4: string | null
		previous_expires_at: number | null
		/** When the current secret took over, or null for the first one. */
		rotated_at: number | null
		/** The only URL for which an access token is valid; null for keys. */
		audience: string | null
		/** abort | drain | detach: what happens to model calls whose client disconnects; null: abort. */
		on_disconnect: string | null
	}
	agents: {
		id: string
		workspace_id: string
		name: string
		description: string
		status: string
		last_seen_at: number | null
		/** JSON object. */
		model_access: string
		/** JSON object: limits for all its calls together, or null. */
		call_limits: string | null
		/** all | search | auto; null: all. */
		tool_face: string | null
		created_at: number
		updated_at: number
	}
	mcp_servers: {
		id: string
		workspace_id: string
		name: string
		slug: string
		description: string
		endpoint_url: string
		transport_type: string
		hosting_mode: string
		status: string
		health_status: string
		/** Consecutive failed checks. */
		failures: number
		last_health_check: number
		last_latency_ms: number | null
		last_error: string | null
		/** The newest protocol revision that the server spoke at the last check. */
		protocol_version: string | null
		/** JSON: how it described itself at the last check, or null. */
		introduction: string | null
		/** The program of a stdio server, or ''. */
		command: string
		/** JSON array of its arguments. */
		args: string
		/** Sealed JSON object of its environment, or null. */
		sealed_env: string | null
		/** JSON array: the hosts that the program may reach from its sandbox. */
		allowed_hosts: string
		/** JSON object: the pinned package that the program is, or null. */
		package: string | null
		/** JSON object: who accepted in writing that it runs without a sandbox, or null. */
		unsandboxed: string | null
		/** When a person last restarted the program, or null. */
		restarted_at: number | null
		/** JSON object. */
		configuration: string
		/** Sealed JSON object of header name → value, or null. */
		sealed_headers: string | null
		/** JSON object: tool or `*` → limits for the calls of all agents together, or null. */
		call_limits: string | null
		/** The largest result that is sent to agents in one piece, or null. */
		max_result_bytes: number | null
		/** Prefix of its tools and prompts on the aggregate endpoint, if it is not the slug. */
		tool_prefix: string | null
		/** JSON object: tool → its name on the aggregate endpoint, or null. */
		tool_aliases: string | null
		tools_refreshed_at: number | null
		/** allow | keep-approved | suspend: what happens to agents' access when a tool changes. */
		definition_policy: string
		created_at: number
		updated_at: number
	}
	mcp_tools: {
		server_id: string
		workspace_id: string
		name: string
		/** The definition as received from the server, JSON. */
		definition: string
		hash: string
		position: number
		/** open | kept | suspended */
		pin: string
		/** The definition that agents see if it differs from `definition`, JSON. */
		served: string | null
		/** Tokens of the definition that agents see; null until they are counted. */
		tokens: number | null
	}
	connections: {
		id: string
		workspace_id: string
		name: string
		provider: string
		base_url: string
		sealed_key: string | null
		last4: string | null
		/** 0: the bodies of its calls are not stored. */
		record_bodies: number
		/** 1: usage is requested on streams whose client does not ask for it. */
		inject_usage: number
		/** The provider whose prices apply; null: determined by the base URL. */
		priced_as: string | null
		/** Last call with the stored key; updated in batches. */
		last_used_at: number | null
		created_at: number
		updated_at: number
	}
	mcp_sessions: {
		id: string
		workspace_id: string
		agent_id: string
		credential_id: string
		/** Server id of `/mcp/{server}`, or null for the aggregate endpoint. */
		server_id: string | null
		/** JSON: negotiated version, client info and capabilities, upstream session ids. */
		state: string
		created_at: number
		last_used_at: number
	}
	audit_log: {
		/** Position in the workspace's chain, counted from 1. */
		seq: number
		workspace_id: string
		id: string
		at: number
		actor_kind: string
		actor_id: string | null
		actor_name: string
		action: string
		target_kind: string | null
		target_id: string | null
		target_name: string | null
		/** JSON object. */
		detail: string
		request_id: string | null
		/** HMAC over this record and the previous hash, hex. */
		chain: string
	}
	/** Entities that in-memory views must reload; see `platform/changes.ts`. */
	changes: { seq: number; kind: string; entity_id: string; at: number }
}
