/** The ends of audit chains, the outbox of events, webhooks and their deliveries. */
export interface EventTables {
	/** The newest link of each workspace's audit chain, kept a second time so that a cut end is seen. */
	audit_heads: { workspace_id: string; seq: number; chain: string; mac: string }
	/** One row `all`: how many chains and records there are, so that a chain that is gone with its head is seen. */
	audit_totals: { id: string; chains: number; records: number; mac: string }
	events: {
		workspace_id: string
		/** Position in the workspace's events, from 1. */
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
		/** Of a chat, whose whole address is a secret, the origin only. */
		url: string
		/** standard | slack | teams | pagerduty | discord */
		format: string
		/** The whole address, where it is a secret. */
		sealed_address: string | null
		/** By which Slack signs what people press, or null: messages have no buttons. */
		sealed_slack_secret: string | null
		/** JSON array of `{slack_user_id, user_id}`: who may answer from Slack, as whom. */
		slack_members: string
		description: string
		/** JSON array of types, or of `*`. */
		events: string
		enabled: number
		/** Why the platform turned it off, or null. */
		disabled_reason: string | null
		sealed_secret: string
		/** The one before, which signs too until `previous_expires_at`. */
		sealed_previous_secret: string | null
		previous_expires_at: number | null
		/** When the first of the failures came that no success has followed. */
		failing_since: number | null
		created_at: number
		updated_at: number
	}
	webhook_deliveries: {
		id: string
		workspace_id: string
		webhook_id: string
		/** The `webhook-id` of every attempt. */
		event_id: string
		type: string
		/** The body, as it is sent. */
		payload: string
		/** Of the request that asked for it, or null: what happened by itself belongs to no request. */
		traceparent: string | null
		/** pending | delivered | failed */
		status: string
		attempts: number
		/** When it is tried next, or null when it is done. */
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

/** Saved views, dashboards of them, and what watches them. */
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
		/** Which of Spotlight's reads. */
		read: string
		/** How far back it looks: 1h, 24h, 7d … */
		time_range: string
		/** JSON object of conditions. */
		filter: string
		compare: number
		sort: string
		/** Of a list of the dashboard, below the workspace; null: a view of Spotlight. */
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
		/** The state that it comes into when that has held for long enough. */
		pending: string | null
		pending_since: number | null
		value: number | null
		/** What is the case, in a sentence. */
		reason: string
		/** The screen where one sees it, below `/ui`. */
		path: string
		/** firing | resolved: what people were last notified of. */
		notified_status: string
		/** JSON array: of what they were notified that it fires. */
		notified_subjects: string
		/** What became of the last e-mails. */
		mail: string | null
		evaluated_at: number | null
		due_at: number
		created_at: number
		/** Of the settings; the state does not count. */
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
		/** firing | resolved: what people were notified of. */
		notified_status: string | null
	}
}

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

/** Demo workspaces. */
export interface DemoTables {
	demos: {
		/** That of the workspace. A row without a workspace waits until its telemetry is erased. */
		id: string
		/** `making`, `ready` or `failed`. */
		state: string
		/** JSON: what the dashboard links to. */
		highlights: string
		created_at: number
	}
}
