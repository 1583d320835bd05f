/** Suggestions of less access. */
export interface AccessReviewTables {
	/** Those that were applied; what is suggested now is computed when it is asked for. */
	access_suggestions: {
		workspace_id: string
		id: string
		/** JSON object: the suggestion as it was shown. */
		document: string
		/** JSON array of `{before, after}`: rows of `access_grants`, `after` null where the grant was taken away. */
		grants: string
		applied_at: number
		reverted_at: number | null
	}
}
