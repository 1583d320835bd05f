/** A program that asks for tokens. All clients are public: none has a secret. */
export interface Client {
	id: string
	/** As it says itself. */
	name: string
	uri: string | null
	redirectUris: readonly string[]
	/** Who publishes its description; null for a client that registered itself, which nobody vouches for. */
	verifiedHost: string | null
}
