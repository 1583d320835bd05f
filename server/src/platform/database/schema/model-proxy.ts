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
		/** The batch whose results it holds. */
		part_of: string | null
	}
	/** What a provider does later: batches, and responses in the background. */
	deferred_calls: {
		workspace_id: string
		connection_id: string
		object_id: string
		/** Whose it is, as JSON: see `DeferredCall`. */
		call: string
		expires_at: number
	}
	/** The results of these that are in the ledger, or on their way there. */
	deferred_results: {
		workspace_id: string
		connection_id: string
		object_id: string
		/** A hash of what the provider names it by. */
		result_key: string
		expires_at: number
	}
}
