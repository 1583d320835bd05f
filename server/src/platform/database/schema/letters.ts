/** Messages between the programs on one store. */
export interface LetterTables {
	mcp_letters: {
		id: string
		workspace_id: string
		/** JSON; it may hold what a person answered. */
		sealed_content: string
		created_at: number
	}
}
