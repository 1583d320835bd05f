/** What the model proxy keeps of its own. */
export interface ModelProxyTables {
	/** Whose the objects are that providers store for calls with a stored key. */
	provider_objects: {
		workspace_id: string
		connection_id: string
		object_id: string
		/** The agent's id; '' for the workspace's own keys. */
		owner: string
		created_at: number
		/** When the provider has forgotten it; null: not by itself. */
		expires_at: number | null
	}
}
