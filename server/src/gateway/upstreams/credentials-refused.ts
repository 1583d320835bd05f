/** Why a server refused our credentials, as the cause of `upstream_unauthorized`. */
export class CredentialsRefused extends Error {
	readonly status: number
	readonly challenge: string | undefined

	constructor(status: number, challenge: string | undefined) {
		super(`HTTP ${status}`)
		this.status = status
		this.challenge = challenge
	}
}
