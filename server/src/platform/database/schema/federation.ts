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
