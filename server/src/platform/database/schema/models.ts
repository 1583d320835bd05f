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

/** Budgets of model calls, and prices that a workspace sets. Amounts are nano-dollars or tokens below 2^53. */
export interface BudgetTables {
	budgets: {
		id: string
		workspace_id: string
		name: string
		/** workspace | agent | key | session | user */
		scope: string
		/** Null: each of the scope has the whole amount for itself. */
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
	/** What is spent and lent of a budget, by the one who spends and the part of time. */
	budget_counters: {
		budget_id: string
		workspace_id: string
		/** The agent, key, session or user; '' for a budget that is counted as one. */
		scope_key: string
		bucket_start: number
		bucket_end: number
		spent: number
		/** The sum of its leases. */
		leased: number
		/** Of leases whose process ended without returning them: nobody knows what is spent of it. */
		uncertain: number
		/** The highest threshold of which people were notified. */
		alerted: number
		exhausted_at: number | null
	}
	/** What a process may spend without asking. */
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
		/** As the price table names it; null: all. */
		provider: string | null
		/** With `*` for any text. */
		model: string
		/** JSON object: nano-dollars for 1,000,000 units by dimension. */
		rates: string
		/** `9/10` of the table's price where there is no rate; null: none. */
		factor: string | null
		note: string
		effective_from: number
		effective_until: number | null
		created_at: number
		updated_at: number
	}
}
