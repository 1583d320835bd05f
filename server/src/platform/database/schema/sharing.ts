/** Links that show a session to whoever has them. */
export interface SharingTables {
	/** A workspace without a row shares nothing. */
	sharing_settings: {
		workspace_id: string
		enabled: number
		updated_at: number
	}
	session_shares: {
		id: string
		workspace_id: string
		session_id: string
		/** Of the link's secret, which is stored nowhere. */
		token_hash: string
		/** Whether it shows what was said. */
		messages: number
		/** The e-mail address of who made it. */
		created_by: string
		created_at: number
		expires_at: number
	}
}
