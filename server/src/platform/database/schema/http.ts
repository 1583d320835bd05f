/** What the API layer keeps of requests, and the rate limits of workspaces. */
export interface HttpTables {
	/** One row for each Idempotency-Key of a caller and an operation; see `platform/http/idempotency`. */
	idempotency_keys: {
		/** SHA-256 of caller, operation and key. */
		id: string
		workspace_id: string
		/** Of the request that works on it; a later one may take the key over when this one does not end. */
		claim_id: string
		/** running: nothing is changed yet; changed: its transaction is committed; answered: the answer is stored. */
		state: 'running' | 'changed' | 'answered'
		/** SHA-256 of path, query and body, sealed: bodies may hold secrets. */
		sealed_request: string
		sealed_answer: string | null
		claimed_at: number
		expires_at: number
	}
	/** What a workspace set; a class without a row has the instance's limit. */
	rate_limits: {
		workspace_id: string
		class: string
		/** Null: no limit. */
		requests: number | null
		window_s: number | null
		updated_at: number
	}
}
