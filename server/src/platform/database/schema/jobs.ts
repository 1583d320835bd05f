/** Background work, and what health checks found. */
export interface JobTables {
	/** One row for each job that waits or runs; see `platform/jobs`. */
	jobs: {
		id: string
		kind: string
		/** Names the job within its kind. */
		key: string
		workspace_id: string | null
		/** JSON. */
		payload: string
		/** When it may be claimed; of a job that runs, the end of its lease. */
		run_at: number
		/** When it is wanted again, asked for while it ran. */
		again_at: number | null
		/** Runs begun since it last succeeded. */
		attempts: number
		/** Who runs it, or null. */
		lease_holder: string | null
		/** Grows with every claim: only the newest lease may commit. */
		fence: number
		last_error: string | null
		created_at: number
	}
	health_checks: {
		id: string
		server_id: string
		workspace_id: string
		at: number
		status: string
		latency_ms: number | null
		error: string | null
		protocol_version: string | null
		/** How many tools it listed, or null when it listed none. */
		tools: number | null
	}
}
