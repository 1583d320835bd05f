/** Messages between the programs on one store. */
export interface LetterTables {
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
