/** What is recorded of calls, and what becomes of those that cannot be. */
export interface CallRecordingTables {
	/** A workspace without a row requires the record, and has the content of tool calls recorded. */
	call_recording_settings: {
		workspace_id: string
		/** required or best-effort. */
		mode: string
		/** 0: arguments and results of tool calls are not recorded, but where a server says otherwise. */
		tool_content: number
		updated_at: number
	}
}

/** What workspaces have taken out of their telemetry beside what the built-in detectors find. */
export interface RedactionTables {
	redaction_rules: {
		id: string
		workspace_id: string
		name: string
		/** RE2. */
		pattern: string
		label: string
		/** JSON array of content, attributes, log_bodies, all. */
		applies_to: string
		/** JSON array of keys; a star at the end stands for all that begin so. */
		attribute_keys: string
		/** Null: for whatever comes to the workspace. */
		ingest_token_id: string | null
		created_at: number
		updated_at: number
	}
}

/** Stored spans that are mapped again. */
export interface RenormalisationTables {
	renormalisations: {
		id: string
		workspace_id: string
		/** Spans that began from here up to, but without, the other. */
		start_ms: number
		end_ms: number
		/** Only those; null: all. */
		dialect: string | null
		/** pending | running | done */
		status: string
		/** How many are done. */
		spans: number
		/** The partition that is worked on; those before it, in the order of their ids, are done. */
		partition_id: string | null
		/** staging | swapping: see server/src/telemetry/renormalise/renormalise.ts. */
		stage: string
		stage_started_at: number | null
		/** Spans stored later are not touched, by the clock of the engine. */
		stored_up_to: number | null
		created_at: number
		finished_at: number | null
	}
}

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
