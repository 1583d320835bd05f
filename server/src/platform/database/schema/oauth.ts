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
	/** What clients asked and a person answered, so that nobody answers it again. */
	answered_authorizations: {
		id: string
		expires_at: number
	}
	/** How a server is given credentials by OAuth; the id is the server's. */
	upstream_auth: {
		id: string
		workspace_id: string
		server_id: string
		/** authorization_code | client_credentials */
		mode: string
		/** workspace | agent | user */
		owner: string
		issuer: string | null
		client_id: string | null
		sealed_client_secret: string | null
		scope: string | null
		updated_at: number
	}
	upstream_tokens: {
		id: string
		workspace_id: string
		server_id: string
		owner: string
		/** Of the agent or person, or '' for the workspace. */
		owner_id: string
		issuer: string
		/** Of the server that the tokens are for. */
		origin: string
		/** Sealed JSON: the tokens, and the client that they were given to. */
		sealed_tokens: string
		scope: string | null
		/** active | needs_consent */
		status: string
		expires_at: number | null
		/** Until when one process alone may refresh. */
		lease_until: number | null
		created_at: number
		updated_at: number
	}
	/** Consents under way: from our page to the authorization server and back. */
	upstream_flows: {
		id: string
		workspace_id: string
		server_id: string
		owner: string
		owner_id: string
		issuer: string
		user_id: string
		state_hash: string
		browser_hash: string
		origin: string
		sealed_secrets: string
		created_at: number
		expires_at: number
	}
	/** The agent of a person's own assistants in a workspace. */
	personal_agents: { workspace_id: string; user_id: string; agent_id: string }
}
