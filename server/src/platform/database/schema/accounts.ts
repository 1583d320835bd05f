/** Tables of people's accounts, besides `users` and `sessions`. */
export interface AccountTables {
	account_tokens: {
		id: string
		user_id: string
		/** verify | reset */
		purpose: string
		/** The e-mail address that the link was created for. */
		email: string
		/** SHA-256 of the secret in the link, hex. */
		hash: string
		created_at: number
		expires_at: number
		used_at: number | null
	}
	/** Links that could not be mailed yet, for operators to pass on. */
	mail_links: {
		id: string
		/** SHA-256 of the secret in the link, hex. A used link is found by it. */
		token_hash: string
		recipient: string
		subject: string
		sealed_link: string
		created_at: number
		expires_at: number
	}
	/** Counts of failed sign-ins; `key` is a keyed hash of what they are counted by. */
	login_failures: { key: string; count: number; last_at: number }
	/** Counts of refused requests without a valid credential. */
	denial_counts: {
		address: string
		/** First millisecond of the minute. */
		minute: number
		code: string
		count: number
	}
}

/** Invitations to workspaces, and instance-wide tables. */
export interface WorkspaceTables {
	invitations: {
		id: string
		workspace_id: string
		/** Lower case. */
		email: string
		role: string
		/** SHA-256 of the secret in the link, hex. */
		secret_hash: string
		/** Whether the link was mailed to the address: only then does it prove that the person owns the mailbox. */
		mailed: number
		/** User id. */
		invited_by: string | null
		created_at: number
		expires_at: number
		accepted_at: number | null
		revoked_at: number | null
	}
	/** Instance settings changed by operators; the id is the name. */
	settings: { id: string; value: string; updated_at: number }
}

/** Sign-in with accounts at other providers. */
export interface FederationTables {
	/** A person is identified by issuer and subject together, never by the e-mail address. */
	federated_identities: {
		id: string
		issuer: string
		subject: string
		user_id: string
		/** The address that the provider reported when the identity was linked. */
		email: string | null
		/** Whether the first sign-in with it created the person's account. */
		made_account: number
		created_at: number
		last_used_at: number
	}
	/** Sign-ins in progress; each is deleted on first use. */
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
		/** The session that is linking an identity, or null for a sign-in. */
		link_session_id: string | null
		created_at: number
		expires_at: number
	}
}

/** The instance's own keys. */
export interface InstanceKeyTables {
	/** Keys that must survive a rotation of the master key; each is sealed with it. */
	instance_keys: { id: string; sealed_value: string; created_at: number }
	/** Progress of resealing the store's secrets, by the id of the new master key. */
	master_key_rotations: {
		/** Key id of the new master key. */
		id: string
		/** running | done */
		state: string
		/** Number of resealed secrets, out of the `total` that another key had sealed at the start. */
		done: number
		total: number
		/** Why it is blocked, or null. */
		error: string | null
		started_at: number
		finished_at: number | null
	}
}

/** OAuth consents that people gave to their clients, and their personal agents. */
export interface OauthTables {
	/** One consent and all tokens issued for it. The current access token is the credential with the same id. */
	oauth_grants: {
		id: string
		workspace_id: string
		user_id: string
		agent_id: string
		client_id: string
		client_name: string
		redirect_uri: string
		/** Our URL for which its tokens are valid. */
		resource: string
		scope: string
		/** SHA-256 of the authorization code; kept to detect a second use. */
		code_hash: string
		/** S256 of the client's PKCE verifier. */
		code_challenge: string
		code_expires_at: number
		/** SHA-256 of the current refresh token; null until the code is exchanged. */
		refresh_hash: string | null
		/** SHA-256 of the previous refresh token, which is accepted once more for a few seconds; older ones revoke the grant. */
		previous_refresh_hash: string | null
		refreshed_at: number | null
		created_at: number
		expires_at: number
		revoked_at: number | null
	}
	/** Authorization requests that a person has answered, so that none is answered twice. */
	answered_authorizations: {
		id: string
		expires_at: number
	}
	/** How a server gets credentials by OAuth; the id is the server's. */
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
		/** Id of the agent or person, or '' for the workspace. */
		owner_id: string
		issuer: string
		/** Origin of the server that the tokens are for. */
		origin: string
		/** Sealed JSON: the tokens, and the client they were issued to. */
		sealed_tokens: string
		scope: string | null
		/** active | needs_consent */
		status: string
		expires_at: number | null
		/** Until then, only one process may refresh. */
		lease_until: number | null
		created_at: number
		updated_at: number
	}
	/** Consents in progress: from our page to the authorization server and back. */
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
	/** The agent that a person's own assistants act as in a workspace. */
	personal_agents: { workspace_id: string; user_id: string; agent_id: string }
}

/** Links that show a session to anyone who has the link. */
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
		/** Hash of the link's secret, which is not stored. */
		token_hash: string
		/** Whether the link shows message contents. */
		messages: number
		/** E-mail address of the person who created it. */
		created_by: string
		created_at: number
		expires_at: number
	}
}

/** State of the HTTP layer for requests, and the rate limits of workspaces. */
export interface HttpTables {
	/** One row for each Idempotency-Key of a caller and an operation; see `platform/http/idempotency`. */
	idempotency_keys: {
		/** SHA-256 of caller, operation and key. */
		id: string
		workspace_id: string
		/** The request that processes it. A later request may take over the key if this one does not finish. */
		claim_id: string
		/** running: nothing has changed yet; changed: its transaction is committed; answered: the response is stored. */
		state: 'running' | 'changed' | 'answered'
		/** SHA-256 of path, query and body, sealed because bodies may contain secrets. */
		sealed_request: string
		sealed_answer: string | null
		claimed_at: number
		expires_at: number
	}
	/** Limits set by a workspace; a class without a row has the instance's limit. */
	rate_limits: {
		workspace_id: string
		class: string
		/** Null: no limit. */
		requests: number | null
		window_s: number | null
		updated_at: number
	}
}
