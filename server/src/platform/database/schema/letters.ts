/** Messages between the programs on one store. */
export interface LetterTables {
	mcp_letters: {
		id: string
		workspace_id: string
		/** JSON; it may hold what a person answered. */
		sealed_content: string
		created_at: number
	}
	/** States of calls that may be brought back once, and were. */
	mcp_used_states: {
		id: string
		workspace_id: string
		created_at: number
	}
}
