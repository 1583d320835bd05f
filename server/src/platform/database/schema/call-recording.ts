/** What becomes of calls that cannot be recorded. */
export interface CallRecordingTables {
	/** A workspace without a row requires the record. */
	call_recording_settings: {
		workspace_id: string
		/** required or best-effort. */
		mode: string
		updated_at: number
	}
}
