import { Problem } from '../../../platform/errors.ts'

/** Something at an authorization server is not as it must be; the text is for the person who connects. */
export class AuthorizationServerFailure extends Problem {
	constructor(detail: string, cause?: unknown) {
		super('upstream_unreachable', detail, cause === undefined ? {} : { cause })
	}
}
