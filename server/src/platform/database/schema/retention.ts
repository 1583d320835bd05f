/** How long workspaces keep telemetry. */
export interface RetentionTables {
	/** A signal without a row is kept as long as the instance says. */
	retention_settings: {
		workspace_id: string
		/** traces, logs or metrics. */
		signal: string
		days: number
		updated_at: number
	}
}
