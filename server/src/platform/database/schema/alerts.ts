/** Saved questions, dashboards of them, and what watches them. */
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
