/** What belongs to the accounts of people, beside `users` and `sessions`. */
export interface AccountTables {
	account_tokens: {
		id: string
		user_id: string
		/** verify | reset */
		purpose: string
		/** The address that the link was made for. */
		email: string
		/** SHA-256 of the secret in the link, hex. */
		hash: string
		created_at: number
		expires_at: number
		used_at: number | null
	}
	/** Links that no mail server has taken yet, for operators to pass on. */
	mail_links: {
		id: string
		/** SHA-256 of the secret in the link, hex: a used link is found by it. */
		token_hash: string
		recipient: string
		subject: string
		sealed_link: string
		created_at: number
		expires_at: number
	}
	/** Refused attempts by what they are counted for; `key` is a keyed hash of it. */
	login_failures: { key: string; count: number; last_at: number }
	/** Refusals of callers without a valid credential. */
	denial_counts: {
		address: string
		/** Its first millisecond. */
		minute: number
		code: string
		count: number
	}
}

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

/** Sign-in by accounts at other providers. */
export interface FederationTables {
	/** A person is known by issuer and subject together, never by the e-mail address. */
	federated_identities: {
		id: string
		issuer: string
		subject: string
		user_id: string
		/** As the provider named it when the identity was linked. */
		email: string | null
		/** Whether the person's account was made by signing in with it. */
		made_account: number
		created_at: number
		last_used_at: number
	}
	/** Sign-ins under way; each is deleted at its first use. */
	sign_in_flows: {
		id: string
		/** SHA-256 of `state`, hex. */
		state_hash: string
		/** SHA-256 of the browser's cookie, hex. */
		browser_hash: string
		provider: string
		issuer: string
		/** Sealed JSON: PKCE verifier and nonce. */
		sealed_secrets: string
		return_to: string
		/** The session that wants to link, or null for a sign-in. */
		link_session_id: string | null
		created_at: number
		expires_at: number
	}
}

/** The instance's own keys. */
export interface InstanceKeyTables {
	/** Keys that must outlive a master key, each sealed by it. */
	instance_keys: { id: string; sealed_value: string; created_at: number }
	/** How far the store's secrets have been sealed again, by the id of the master key that seals them. */
	master_key_rotations: {
		/** Key id of the new master key. */
		id: string
		/** running | done */
		state: string
		/** Secrets sealed again, of `total` that were sealed by another key at the start. */
		done: number
		total: number
		/** Why it does not go on, or null. */
		error: string | null
		started_at: number
		finished_at: number | null
	}
}

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

/** What the API layer keeps of requests, and the rate limits of workspaces. */
export interface HttpTables {
	/** One row for each Idempotency-Key of a caller and an operation; see `platform/http/idempotency`. */
	idempotency_keys: {
		/** SHA-256 of caller, operation and key. */
		id: string
		workspace_id: string
		/** Of the request that works on it; a later one may take the key over when this one does not end. */
		claim_id: string
		/** running: nothing is changed yet; changed: its transaction is committed; answered: the answer is stored. */
		state: 'running' | 'changed' | 'answered'
		/** SHA-256 of path, query and body, sealed: bodies may hold secrets. */
		sealed_request: string
		sealed_answer: string | null
		claimed_at: number
		expires_at: number
	}
	/** What a workspace set; a class without a row has the instance's limit. */
	rate_limits: {
		workspace_id: string
		class: string
		/** Null: no limit. */
		requests: number | null
		window_s: number | null
		updated_at: number
	}
}
