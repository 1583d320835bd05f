/** State of the model proxy. */
export interface ModelProxyTables {
	/** Owners of objects that providers store for calls with a stored key. */
	provider_objects: {
		workspace_id: string
		connection_id: string
		object_id: string
		/** The agent's id; '' for the workspace's own keys. */
		owner: string
		created_at: number
		/** When the provider deletes it; null: not automatically. */
		expires_at: number | null
		/** The batch whose results it contains. */
		part_of: string | null
	}
	/** Work that a provider does later: batches and background responses. */
	deferred_calls: {
		workspace_id: string
		connection_id: string
		object_id: string
		/** The call that started it, as JSON: see `DeferredCall`. */
		call: string
		expires_at: number
	}
	/** Results that are in the ledger or on their way there. */
	deferred_results: {
		workspace_id: string
		connection_id: string
		object_id: string
		/** Hash of the provider's id for the result. */
		result_key: string
		expires_at: number
	}
}

/** Rules for model calls: routes over connections, hooks and limits. */
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
		/** URL of a webhook, with the secret that signs its requests. */
		url: string | null
		sealed_secret: string | null
		/** Also signs until that time; null: there is none. */
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
		/** Null: each object of the scope has its own limit. */
		scope_id: string | null
		requests_per_minute: number | null
		tokens_per_minute: number | null
		concurrency: number | null
		enabled: number
		created_at: number
		updated_at: number
	}
}

/** Budgets for model calls, and prices set by a workspace. Amounts are nano-dollars or tokens below 2^53. */
export interface BudgetTables {
	budgets: {
		id: string
		workspace_id: string
		name: string
		/** workspace | agent | key | session | user */
		scope: string
		/** Null: each object of the scope has its own full amount. */
		scope_id: string | null
		/** nano_usd | tokens */
		unit: string
		limit_amount: number
		/** hour | day | week | month | rolling */
		window_kind: string
		time_zone: string
		rolling_s: number | null
		/** hard | soft */
		mode: string
		/** deny | allow | ceiling */
		unpriced: string
		unpriced_ceiling: number | null
		/** JSON array of percentages, ascending. */
		thresholds: string
		contact: string
		enabled: number
		created_at: number
		updated_at: number
	}
	/** Amounts spent and leased of a budget, per spender and period. */
	budget_counters: {
		budget_id: string
		workspace_id: string
		/** The agent, key, session or user; '' for a budget with a single counter. */
		scope_key: string
		bucket_start: number
		bucket_end: number
		spent: number
		/** The sum of its leases. */
		leased: number
		/** Amounts leased by processes that ended without returning them: how much was spent is unknown. */
		uncertain: number
		/** The highest threshold that people were notified of. */
		alerted: number
		exhausted_at: number | null
	}
	/** Amounts that a process may spend without asking the store. */
	budget_leases: {
		id: string
		budget_id: string
		workspace_id: string
		scope_key: string
		bucket_start: number
		holder: string
		amount: number
		expires_at: number
	}
	price_overrides: {
		id: string
		workspace_id: string
		/** Null: all connections. */
		connection: string | null
		/** The provider's name in the price table; null: all. */
		provider: string | null
		/** `*` matches any text. */
		model: string
		/** JSON object: dimension → nano-dollars per 1,000,000 units. */
		rates: string
		/** Factor on the table's price for dimensions without a rate, such as `9/10`; null: none. */
		factor: string | null
		note: string
		effective_from: number
		effective_until: number | null
		created_at: number
		updated_at: number
	}
}
