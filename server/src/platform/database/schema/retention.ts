/** How long workspaces keep telemetry, and what of it they had erased. */
export interface RetentionTables {
	/** A signal without a row is kept as long as the instance says. */
	retention_settings: {
		workspace_id: string
		/** traces, logs or metrics. */
		signal: string
		days: number
		updated_at: number
	}
	/** Kept for ever, so that it can be done again on a restored store. */
	telemetry_erasures: {
		id: string
		workspace_id: string
		/** One of these two. */
		session_id: string | null
		user_id: string | null
		/** What happened until then is erased. */
		created_at: number
		erased_at: number | null
	}
}
