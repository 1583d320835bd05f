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
