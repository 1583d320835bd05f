/** How model calls are governed: routes over connections, hooks and limits. */
export interface ModelCallTables {
	model_routes: {
		id: string
		workspace_id: string
		name: string
		/** ordered | weighted | least_latency */
		strategy: string
		/** JSON array of `{connection, model, weight, for_models}`. */
		targets: string
		retries: number
		first_token_timeout_ms: number | null
		idle_timeout_ms: number | null
		total_timeout_ms: number | null
		created_at: number
		updated_at: number
	}
	hooks: {
		id: string
		workspace_id: string
		name: string
		enabled: number
		/** dry_run | enforce */
		mode: string
		/** deny | redact | webhook */
		action: string
		/** JSON array of request, response, stream. */
		stages: string
		/** JSON arrays of patterns. */
		connections: string
		models: string
		agents: string
		/** RE2; null for a webhook. */
		pattern: string | null
		label: string
		/** Of a webhook, with the secret that signs what it is sent. */
		url: string | null
		sealed_secret: string | null
		/** Signs too until then; null: none does. */
		sealed_previous_secret: string | null
		previous_expires_at: number | null
		timeout_ms: number
		/** open | closed */
		fail_mode: string
		created_at: number
		updated_at: number
	}
	model_limits: {
		id: string
		workspace_id: string
		name: string
		/** workspace | agent | key | connection */
		scope: string
		/** Null: each of the scope has the limit for itself. */
		scope_id: string | null
		requests_per_minute: number | null
		tokens_per_minute: number | null
		concurrency: number | null
		enabled: number
		created_at: number
		updated_at: number
	}
}
