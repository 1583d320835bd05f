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
