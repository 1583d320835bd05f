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
		/** The highest threshold that was told. */
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
