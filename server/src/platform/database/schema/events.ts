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
