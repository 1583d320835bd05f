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
