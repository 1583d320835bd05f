/** What leaves the platform continuously. */
export interface ForwarderTables {
	forwarders: {
		id: string
		workspace_id: string
		name: string
		/** otlp | syslog */
		kind: string
		url: string
		/** JSON object of conditions. */
		filter: string
		/** JSON pairs, bound to the origin of `url`; null: none. */
		sealed_headers: string | null
		/** JSON array. */
		header_names: string
		enabled: number
		created_at: number
		/** Of the settings; the cursors do not count. */
		updated_at: number
	}
	/** One row for each signal that a forwarder sends. */
	forwarder_cursors: {
		forwarder_id: string
		/** spans | metrics | logs | audit */
		signal: string
		workspace_id: string
		/** What is sent: `<stored ms>:<hash>` of telemetry, the number of an audit record. */
		position: string
		/** Everything stored up to this time is sent. */
		settled_at: number
		sent: number
		refused: number
		last_refusal: string | null
		sent_at: number | null
		/** Of the last attempt, when that will be made again. */
		error: string | null
		failing_since: number | null
		/** Failed ones since the last success. */
		attempts: number
		/** When it may be tried again; null: at once. */
		next_at: number | null
	}
}
