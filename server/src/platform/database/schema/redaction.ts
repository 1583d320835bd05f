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
