import { type SignInErrorCode, signInErrors } from '@signalbox/contract'

/** Why a sign-in by a provider failed, by its code of the catalogue in `contract/src/federation.ts`. */
export class SignInError extends Error {
	readonly code: SignInErrorCode

	constructor(code: SignInErrorCode, cause?: unknown) {
		super(signInErrors[code].title, cause === undefined ? undefined : { cause })
		this.code = code
	}
}
