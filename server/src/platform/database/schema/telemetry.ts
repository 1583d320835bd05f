/** How calls are recorded, and what happens to calls that cannot be. */
export interface CallRecordingTables {
	/** A workspace without a row requires records, including the content of tool calls. */
	call_recording_settings: {
		workspace_id: string
		/** required or best-effort. */
		mode: string
		/** 0: arguments and results of tool calls are not recorded, unless a server's setting overrides it. */
		tool_content: number
		updated_at: number
	}
}

/** Patterns that workspaces remove from their telemetry, in addition to the built-in detectors. */
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
		/** JSON array of keys; a trailing star matches any suffix. */
		attribute_keys: string
		/** Null: applies to all telemetry of the workspace. */
		ingest_token_id: string | null
		created_at: number
		updated_at: number
	}
}

/** Requests to normalise stored spans again. */
export interface RenormalisationTables {
	renormalisations: {
		id: string
		workspace_id: string
		/** Start of the range of span start times; the end is exclusive. */
		start_ms: number
		end_ms: number
		/** Only spans of this dialect; null: all. */
		dialect: string | null
		/** pending | running | done */
		status: string
		/** Number of spans that are done. */
		spans: number
		/** The current partition; those with lower ids are done. */
		partition_id: string | null
		/** staging | swapping: see server/src/telemetry/renormalise/renormalise.ts. */
		stage: string
		stage_started_at: number | null
		/** Spans stored after this time, by the engine's clock, are not touched. */
		stored_up_to: number | null
		created_at: number
		finished_at: number | null
	}
}

/** How long workspaces keep telemetry, and which telemetry they erased. */
export interface RetentionTables {
	/** A signal without a row is kept as long as the instance's setting says. */
	retention_settings: {
		workspace_id: string
		/** traces, logs or metrics. */
		signal: string
		days: number
		updated_at: number
	}
	/** Kept forever, so that erasures can be repeated on a restored store. */
	telemetry_erasures: {
		id: string
		workspace_id: string
		/** Exactly one of these two is set. */
		session_id: string | null
		user_id: string | null
		/** Telemetry up to this time is erased. */
		created_at: number
		erased_at: number | null
	}
}

/** Destinations that receive data continuously. */
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
		/** Sealed JSON pairs, bound to the origin of `url`; null: none. */
		sealed_headers: string | null
		/** JSON array. */
		header_names: string
		enabled: number
		created_at: number
		/** Last change of the settings; changes of the cursors do not count. */
		updated_at: number
	}
	/** One row for each signal that a forwarder sends. */
	forwarder_cursors: {
		forwarder_id: string
		/** spans | metrics | logs | audit */
		signal: string
		workspace_id: string
		/** Position of the last sent item: `<stored ms>:<hash>` for telemetry, the record number for audit. */
		position: string
		/** Everything stored up to this time has been sent. */
		settled_at: number
		sent: number
		refused: number
		last_refusal: string | null
		sent_at: number | null
		/** Error of the last attempt, if it will be retried. */
		error: string | null
		failing_since: number | null
		/** Failed attempts since the last success. */
		attempts: number
		/** Time of the next attempt; null: at once. */
		next_at: number | null
	}
}
