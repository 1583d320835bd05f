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
		/** When the server last stopped offering it; while it offers it, the last look at the server counts. */
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
