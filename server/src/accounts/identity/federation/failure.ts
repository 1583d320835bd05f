import { Problem } from '../../../platform/errors.ts'
import { ProviderUnreachable } from './provider-fetch.ts'
import { SignInError } from './sign-in-error.ts'

/** Gives whatever a step at a provider threw a name of the catalogue. What it wrote is for the log only. */
export function toSignInError(error: unknown): SignInError {
	const causes = [...causesOf(error)]
	const named = causes.find((cause) => cause instanceof SignInError)
	if (named) return named as SignInError
	if (causes.some((cause) => cause instanceof ProviderUnreachable))
		return new SignInError('provider_unreachable', error)
	if (causes.some((cause) => cause instanceof Problem)) return new SignInError('failed', error)
	return new SignInError(isRefusal(error) ? 'provider_refused' : 'answer_invalid', error)
}

/** The provider sent the browser back with `error` in place of a code. */
function isRefusal(error: unknown): boolean {
	return (error as { code?: unknown } | null)?.code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR'
}

function* causesOf(error: unknown): Generator<unknown> {
	for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1)
		yield cause
}
