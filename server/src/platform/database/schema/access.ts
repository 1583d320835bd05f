/** Grants, and what they are derived from. */
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
		/** JSON array of names, or null: all with access_mode `all`, else none. */
		allowed_prompts: string | null
		/** JSON array of URI patterns, or null: all with access_mode `all`, else none. */
		allowed_resources: string | null
		enabled: number
		expires_at: number | null
		/** JSON object: tool → JSON Schema of its arguments, or null. */
		constraints: string | null
		/** JSON object: tool → `ask`, or null. */
		approval: string | null
		/** Whose approval counts: `caller` is also the person who uses the agent; null: the workspace's approvers only. */
		approver: string | null
		/** How long a call waits for approval; null: the usual time. */
		approval_wait_ms: number | null
		/** JSON array of annotations by which tools are denied, or null. */
		denied_hints: string | null
		/** JSON object: tool or `*` → limits of its calls, or null. */
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
	/** The tools that a toolset names of one server, a JSON array. */
	toolset_tools: { toolset_id: string; workspace_id: string; server_id: string; tools: string }
	/** The groups of agents that a toolset is given to. */
	toolset_groups: { toolset_id: string; workspace_id: string; name: string }
}

/** Calls that need the approval of a person, and requests of people for access. */
export interface ApprovalTables {
	approvals: {
		id: string
		workspace_id: string
		agent_id: string
		server_id: string
		/** The server's own name of it. */
		tool: string
		/** Of agent, server, tool and arguments while a call may still get this decision, else null: there is one such row. */
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
		/** When decided: until when a call gets the decision. */
		valid_until: number | null
		/** When approved for all calls of the tool: for how long. */
		for_minutes: number | null
		/** When the one call took it and went upstream. */
		used_at: number | null
		requested_at: number
		/** Until when it can be decided. */
		expires_at: number
	}
	access_requests: {
		id: string
		workspace_id: string
		agent_id: string
		server_id: string
		/** Null: all tools of the server. */
		tool: string | null
		/** Of agent, server and tool while it waits, else null: there is one such row. */
		open_key: string | null
		reason: string
		/** pending | granted | declined */
		status: string
		requested_by_id: string
		/** E-mail of the person. */
		requested_by_name: string
		requested_at: number
		decided_by: string | null
		decided_at: number | null
	}
}

/** Suggestions of less access. */
export interface AccessReviewTables {
	/** Those that were applied; what is suggested now is computed when it is asked for. */
	access_suggestions: {
		workspace_id: string
		id: string
		/** JSON object: the suggestion as it was shown. */
		document: string
		/** JSON array of `{before, after}`: rows of `access_grants`, `after` null where the grant was taken away. */
		grants: string
		applied_at: number
		reverted_at: number | null
	}
}

/** Every definition of a tool that was seen, and which of them agents may see. */
export interface ToolDefinitionTables {
	tool_definitions: {
		server_id: string
		workspace_id: string
		name: string
		/** SHA-256 over what is read of the definition. */
		hash: string
		/** As the server sent it, JSON. */
		definition: string
		/** JSON array of what was flagged. */
		flags: string
		/** Null until they are counted. */
		tokens: number | null
		first_seen: number
		/** When the server last stopped offering it; while it offers it, the last check of the server counts. */
		last_seen: number
		/** When somebody rejected it; null: nobody did, or it was approved since. */
		rejected_at: number | null
	}
	tool_pins: {
		server_id: string
		workspace_id: string
		name: string
		/** The definition that agents were given; null: none yet. */
		approved_hash: string | null
		/** open | kept | suspended */
		state: string
		/** Why it is not open. */
		reason: string | null
		detail: string | null
		/** The tool that it seems to be under another name. */
		renamed_from: string | null
		/** When it came into this state. */
		since: number
		decided_at: number | null
		/** The name of who decided. */
		decided_by: string | null
	}
}

/** Calls of MCP tools that run as tasks. */
export interface TaskTables {
	mcp_tasks: {
		id: string
		workspace_id: string
		agent_id: string
		server_id: string
		/** The person for whom a client of OAuth acts; '' for none. */
		user_id: string
		/** The server's own name of it. */
		tool: string
		/** working | input_required | completed | failed | cancelled */
		status: string
		status_message: string | null
		created_at: number
		updated_at: number
		/** Ends what still runs; after it the row may go. */
		expires_at: number
		/** Counts the changes: who writes has read the one before. */
		version: number
		/** The program that runs it, and until when others leave it alone. */
		held_by: string
		held_until: number
		/** JSON: who calls what, to go on in another program. */
		sealed_call: string
		/** JSON: how far it is, its input requests and its outcome. */
		sealed_state: string
	}
}

/** Messages between the programs on one store. */
export interface PeerMessageTables {
	mcp_letters: {
		id: string
		workspace_id: string
		/** JSON; it may hold what a person answered. */
		sealed_content: string
		created_at: number
	}
	/** What results had beyond the limit of their server, page by page. */
	mcp_kept_results: {
		/** Of the result, a dot, and the number of the page. */
		id: string
		workspace_id: string
		server_id: string
		tool: string
		/** Of the content before it was sealed. */
		bytes: number
		created_at: number
		/** JSON: the blocks of one page, and how much follows. */
		sealed_content: string
	}
	/** Sessions that legacy clients have with legacy servers, as any program can continue them. */
	mcp_upstream_sessions: {
		/** Of the client's session, and the server with whoever's token. */
		id: string
		workspace_id: string
		session_id: string
		server_id: string
		/** JSON: what the handshake gave. */
		sealed_session: string
	}
	/** Which revision of the protocol a server speaks to the owner of a token. */
	mcp_era_verdicts: {
		/** Of the server, its address and the owner of the token. */
		id: string
		workspace_id: string
		server_id: string
		protocol_version: string
		probed_at: number
	}
	/** States of calls that may be brought back once, and were. */
	mcp_used_states: {
		id: string
		workspace_id: string
		created_at: number
	}
}
