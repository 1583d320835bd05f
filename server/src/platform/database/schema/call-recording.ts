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
