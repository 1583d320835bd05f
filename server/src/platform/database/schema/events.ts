/** Heads of audit chains, the outbox of events, webhooks and their deliveries. */
export interface EventTables {
	/** The newest link of each workspace's audit chain, stored twice so that a truncated chain is detected. */
	audit_heads: { workspace_id: string; seq: number; chain: string; mac: string }
	/** One row `all`: the number of chains and records, so that a chain deleted together with its head is detected. */
	audit_totals: { id: string; chains: number; records: number; mac: string }
	events: {
		workspace_id: string
		/** Position in the workspace's events, counted from 1. */
		seq: number
		id: string
		type: string
		at: number
		/** JSON object, at most 20 kB. */
		data: string
	}
	webhooks: {
		id: string
		workspace_id: string
		/** For chats only the origin, because their full URL is a secret. */
		url: string
		/** standard | slack | teams | pagerduty | discord */
		format: string
		/** The full URL if it is a secret. */
		sealed_address: string | null
		/** Secret with which Slack signs button clicks, or null: messages have no buttons. */
		sealed_slack_secret: string | null
		/** JSON array of `{slack_user_id, user_id}`: who may respond from Slack, and as which person. */
		slack_members: string
		description: string
		/** JSON array of types, or of `*`. */
		events: string
		enabled: number
		/** Why the platform disabled it, or null. */
		disabled_reason: string | null
		sealed_secret: string
		/** The previous secret, which also signs until `previous_expires_at`. */
		sealed_previous_secret: string | null
		previous_expires_at: number | null
		/** Start of the current run of failures without a success. */
		failing_since: number | null
		created_at: number
		updated_at: number
	}
	webhook_deliveries: {
		id: string
		workspace_id: string
		webhook_id: string
		/** The `webhook-id` that all attempts share. */
		event_id: string
		type: string
		/** The body as sent. */
		payload: string
		/** Trace context of the request that caused it, or null if no request did. */
		traceparent: string | null
		/** pending | delivered | failed */
		status: string
		attempts: number
		/** Time of the next attempt, or null if there is none. */
		next_at: number | null
		attempted_at: number | null
		response_status: number | null
		response_body: string | null
		duration_ms: number | null
		error: string | null
		created_at: number
		finished_at: number | null
	}
}

/** Saved views, dashboards of saved views, and alerts on them. */
export interface AlertTables {
	dashboards: {
		id: string
		workspace_id: string
		name: string
		description: string
		/** JSON array of panels; see the contract. */
		panels: string
		created_at: number
		updated_at: number
	}
	saved_questions: {
		id: string
		workspace_id: string
		name: string
		/** The Spotlight query. */
		read: string
		/** Length of the period: 1h, 24h, 7d … */
		time_range: string
		/** JSON object of conditions. */
		filter: string
		compare: number
		sort: string
		/** URL path of a list in the dashboard, relative to the workspace; null: a Spotlight view. */
		address: string | null
		created_at: number
		updated_at: number
	}
	alerts: {
		id: string
		workspace_id: string
		kind: string
		name: string
		question_id: string | null
		figure: string | null
		/** The condition: above | below | rise | fall | no_data. */
		test: string | null
		threshold: number | null
		for_s: number
		interval_s: number
		/** JSON array of addresses. */
		emails: string
		enabled: number
		muted_until: number | null
		/** ok | firing | no_data | unknown */
		status: string
		status_since: number
		/** The state that it enters once the condition has held long enough. */
		pending: string | null
		pending_since: number | null
		value: number | null
		/** The cause, as a sentence. */
		reason: string
		/** Path of the screen that shows it, below `/ui`. */
		path: string
		/** firing | resolved: the last notification that people received. */
		notified_status: string
		/** JSON array: the firing subjects that people were notified of. */
		notified_subjects: string
		/** Result of the last e-mails. */
		mail: string | null
		evaluated_at: number | null
		due_at: number
		created_at: number
		/** Last change of the settings; changes of the state do not count. */
		updated_at: number
	}
	alert_transitions: {
		id: string
		workspace_id: string
		alert_id: string
		at: number
		from_status: string
		to_status: string
		value: number | null
		reason: string
		/** firing | resolved: the last notification that people received. */
		notified_status: string | null
	}
}

/** Background jobs, and results of health checks. */
export interface JobTables {
	/** One row for each waiting or running job; see `platform/jobs`. */
	jobs: {
		id: string
		kind: string
		/** Identifies the job within its kind. */
		key: string
		workspace_id: string | null
		/** JSON. */
		payload: string
		/** When it may be claimed; for a running job, the end of its lease. */
		run_at: number
		/** When it must run again, if that was requested while it ran. */
		again_at: number | null
		/** Attempts since the last success. */
		attempts: number
		/** The process that runs it, or null. */
		lease_holder: string | null
		/** Fencing token: it grows with every claim, and only the newest lease may commit. */
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
		/** The number of tools it listed, or null if it listed none. */
		tools: number | null
	}
}

/** Demo workspaces. */
export interface DemoTables {
	demos: {
		/** The workspace's id. A row without a workspace remains until its telemetry is erased. */
		id: string
		/** `making`, `ready` or `failed`. */
		state: string
		/** JSON: the links shown in the dashboard. */
		highlights: string
		created_at: number
	}
}
