/** What people let their clients do here by OAuth, and the agents that are theirs. */
export interface OauthTables {
	/** One consent and all tokens that came of it. The present access token is the credential of the same id. */
	oauth_grants: {
		id: string
		workspace_id: string
		user_id: string
		agent_id: string
		client_id: string
		client_name: string
		redirect_uri: string
		/** The address of ours that its tokens are good for. */
		resource: string
		scope: string
		/** SHA-256 of the authorization code; kept, so that a second use is recognised. */
		code_hash: string
		/** S256 of the client's PKCE verifier. */
		code_challenge: string
		code_expires_at: number
		/** SHA-256 of the present refresh token; null until the code was exchanged. */
		refresh_hash: string | null
		/** Of the one before, which is answered once more for a few seconds; older ones revoke the grant. */
		previous_refresh_hash: string | null
		refreshed_at: number | null
		created_at: number
		expires_at: number
		revoked_at: number | null
	}
	/** The agent of a person's own assistants in a workspace. */
	personal_agents: { workspace_id: string; user_id: string; agent_id: string }
}
