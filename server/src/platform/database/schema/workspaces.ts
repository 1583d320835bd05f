/** Invitations to workspaces, and what stands above workspaces. */
export interface WorkspaceTables {
	invitations: {
		id: string
		workspace_id: string
		/** Lower case. */
		email: string
		role: string
		/** SHA-256 of the secret in the link, hex. */
		secret_hash: string
		/** Whether the link went to the address: only then it proves that the mailbox is the person's. */
		mailed: number
		/** User id. */
		invited_by: string | null
		created_at: number
		expires_at: number
		accepted_at: number | null
		revoked_at: number | null
	}
	/** What operators have set for the instance; the id is the name. */
	settings: { id: string; value: string; updated_at: number }
}
