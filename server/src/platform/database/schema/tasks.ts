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
		/** JSON: how far it is, its questions and its outcome. */
		sealed_state: string
	}
}
