/** Grants, and their sources. */
export interface GrantTables {
	access_grants: {
		id: string
		workspace_id: string
		server_id: string
		agent_id: string
		/** `manual`, or the id of the toolset that the grant is derived from. */
		source: string
		access_mode: string
		/** JSON array, or null with access_mode `all`. */
		allowed_tools: string | null
		/** JSON array of names, or null: all with access_mode `all`, otherwise none. */
		allowed_prompts: string | null
		/** JSON array of URI patterns, or null: all with access_mode `all`, else none. */
		allowed_resources: string | null
		enabled: number
		expires_at: number | null
		/** JSON object: tool → JSON Schema of its arguments, or null. */
		constraints: string | null
		/** JSON object: tool → `ask`, or null. */
		approval: string | null
		/** Who approves: with `caller` also the person who uses the agent; null: only the workspace's approvers. */
		approver: string | null
		/** How long a call waits for approval; null: the default. */
		approval_wait_ms: number | null
		/** JSON array of tool annotations whose tools are denied, or null. */
		denied_hints: string | null
		/** JSON object: tool or `*` → limits for its calls, or null. */
		call_limits: string | null
		created_at: number
		updated_at: number
	}
	/** One row for each group that an agent is in. */
	agent_groups: { agent_id: string; workspace_id: string; name: string }
	toolsets: {
		id: string
		workspace_id: string
		name: string
		description: string
		created_at: number
		updated_at: number
	}
	/** JSON array: the tools of one server that the toolset includes. */
	toolset_tools: { toolset_id: string; workspace_id: string; server_id: string; tools: string }
	/** The groups of agents that receive a toolset. */
	toolset_groups: { toolset_id: string; workspace_id: string; name: string }
}

/** Calls that need a person's approval, and access requests by people. */
export interface ApprovalTables {
	approvals: {
		id: string
		workspace_id: string
		agent_id: string
		server_id: string
		/** The tool's name on its server. */
		tool: string
		/** HMAC of agent, server, tool and arguments while a call may still use this decision, otherwise null. It is unique. */
		open_key: string | null
		/** Sealed JSON object. */
		sealed_arguments: string
		/** The credential that sent the call. */
		credential_id: string
		/** workspace | caller */
		approver: string
		/** pending | approved | used | denied | expired | revoked */
		status: string
		reason: string | null
		decided_at: number | null
		decided_by_kind: string | null
		decided_by_id: string | null
		decided_by_name: string | null
		/** Once decided: how long a call may use the decision. */
		valid_until: number | null
		/** Approvals for all calls of the tool: for how many minutes. */
		for_minutes: number | null
		/** When the single approved call used the approval and went upstream. */
		used_at: number | null
		requested_at: number
		/** Deadline for a decision. */
		expires_at: number
	}
	access_requests: {
		id: string
		workspace_id: string
		agent_id: string
		server_id: string
		/** Null: all tools of the server. */
		tool: string | null
		/** Agent, server and tool as JSON while the request is pending, otherwise null. It is unique. */
		open_key: string | null
		reason: string
		/** pending | granted | declined */
		status: string
		requested_by_id: string
		/** E-mail address of the person. */
		requested_by_name: string
		requested_at: number
		decided_by: string | null
		decided_at: number | null
	}
}

/** Suggestions to reduce access. */
export interface AccessReviewTables {
	/** Applied suggestions only; current ones are computed on request. */
	access_suggestions: {
		workspace_id: string
		id: string
		/** JSON object: the suggestion as displayed. */
		document: string
		/** JSON array of `{before, after}`: rows of `access_grants`; `after` is null if the grant was deleted. */
		grants: string
		applied_at: number
		reverted_at: number | null
	}
}

/** Every tool definition that was seen, and which of them agents may see. */
export interface ToolDefinitionTables {
	tool_definitions: {
		server_id: string
		workspace_id: string
		name: string
		/** SHA-256 over the parts of the definition that we read. */
		hash: string
		/** As received from the server, JSON. */
		definition: string
		/** JSON array of the findings. */
		flags: string
		/** Null until they are counted. */
		tokens: number | null
		first_seen: number
		/** When the server last stopped offering it. While it is offered, the time of the server's last check applies. */
		last_seen: number
		/** When a person rejected it; null: never, or it was approved since. */
		rejected_at: number | null
	}
	tool_pins: {
		server_id: string
		workspace_id: string
		name: string
		/** The definition that agents receive; null: none yet. */
		approved_hash: string | null
		/** open | kept | suspended */
		state: string
		/** The reason if it is not open. */
		reason: string | null
		detail: string | null
		/** The tool of which this seems to be a renamed version. */
		renamed_from: string | null
		/** When it entered this state. */
		since: number
		decided_at: number | null
		/** Name of the person who decided. */
		decided_by: string | null
	}
}

/** MCP tool calls that run as tasks. */
export interface TaskTables {
	mcp_tasks: {
		id: string
		workspace_id: string
		agent_id: string
		server_id: string
		/** The person on whose behalf an OAuth client acts; '' if none. */
		user_id: string
		/** The tool's name on its server. */
		tool: string
		/** working | input_required | completed | failed | cancelled */
		status: string
		status_message: string | null
		created_at: number
		updated_at: number
		/** Then a running task is ended, and the row may be deleted. */
		expires_at: number
		/** Version for optimistic locking: a writer must have read the current one. */
		version: number
		/** The program that runs it, and until when other programs must not take it over. */
		held_by: string
		held_until: number
		/** JSON: the caller and the call, so that another program can continue it. */
		sealed_call: string
		/** JSON: its progress, input requests and result. */
		sealed_state: string
	}
}

/** Messages between the programs that share a store. */
export interface PeerMessageTables {
	mcp_letters: {
		id: string
		workspace_id: string
		/** JSON; it may contain a person's answers. */
		sealed_content: string
		created_at: number
	}
	/** The parts of results beyond their server's limit, page by page. */
	mcp_kept_results: {
		/** Id of the result, a dot, and the page number. */
		id: string
		workspace_id: string
		server_id: string
		tool: string
		/** Size of the content before sealing. */
		bytes: number
		created_at: number
		/** JSON: the content blocks of one page, and how much follows. */
		sealed_content: string
	}
	/** Sessions of legacy clients with legacy servers, stored so that any program can continue them. */
	mcp_upstream_sessions: {
		/** Derived from the client's session, the server and the owner of the token. */
		id: string
		workspace_id: string
		session_id: string
		server_id: string
		/** JSON: the result of the handshake. */
		sealed_session: string
	}
	/** The protocol revision that a server speaks to the owner of a token. */
	mcp_era_verdicts: {
		/** Derived from the server, its URL and the owner of the token. */
		id: string
		workspace_id: string
		server_id: string
		protocol_version: string
		probed_at: number
	}
	/** Single-use continuation states of calls that have been used. */
	mcp_used_states: {
		id: string
		workspace_id: string
		created_at: number
	}
}
