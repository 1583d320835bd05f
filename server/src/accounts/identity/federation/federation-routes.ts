import type { IncomingMessage } from 'node:http'
import { federationOperations, type SignInErrorCode } from '@signalbox/contract'
import type { SignInProvider } from '../../../config/config.ts'
import { Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind, type RequestContext, userIn } from '../../../platform/http/index.ts'
import { type Caller, callerOf, type IdentityContext } from '../identity-context.ts'
import type { OpenSession } from '../sessions/open-session.ts'
import {
	type FederationContext,
	ProviderUnreachable,
	providerOf,
	SignInError,
	toFederationContext,
} from './federation-context.ts'
import { closeFlow, openFlow, returnPath } from './flows.ts'
import { linkIdentity, showIdentities, unlinkIdentity } from './link-identity.ts'
import { beginGithub, beginOidc, finishGithub, finishOidc } from './provider-sign-in.ts'
import { signIn } from './sign-in.ts'

export function federationRoutes(identity: IdentityContext): BoundOperation[] {
	const context = toFederationContext(identity)
	return bind(federationOperations, {
		start: (input) =>
			redirecting(context, input, async () => {
				const provider = providerOf(context, input.params.provider)
				const { url, cookie } = await begin(context, input.request, provider, input.query.return_to, null)
				input.setHeader('set-cookie', cookie)
				return url.href
			}),
		callback: (input) =>
			redirecting(context, input, async () => {
				const provider = providerOf(context, input.params.provider)
				const caller = callerOf(input.request, input.context)
				const ended = await finish(
					context,
					input.request,
					provider,
					input.query.state,
					input.context.search,
					caller,
				)
				if (ended.session) input.setHeader('set-cookie', sessionCookies(context, ended.session))
				return dashboardPath(context, ended.returnTo)
			}),
		link: async ({ params, body, request, context: requestContext, setHeader }) => {
			const { sessionId } = userIn(requestContext)
			try {
				const provider = providerOf(context, params.provider)
				const { url, cookie } = await begin(context, request, provider, body?.return_to, sessionId)
				setHeader('set-cookie', cookie)
				return { url: url.href }
			} catch (error) {
				throw toProblem(context, params.provider, error)
			}
		},
		identities: ({ context: requestContext }) => showIdentities(context, userIn(requestContext).userId),
		unlink: async ({ params, context: requestContext }) => {
			await unlinkIdentity(context, userIn(requestContext), params.id, requestContext.requestId)
			return undefined
		},
	})
}

async function begin(
	context: FederationContext,
	request: IncomingMessage,
	provider: SignInProvider,
	wanted: string | undefined,
	linkSessionId: string | null,
): Promise<{ url: URL; cookie: string }> {
	const redirectUri = `${addressOf(context, request)}/auth/oauth/${provider.id}/callback`
	const flow = { provider, returnTo: returnPath(wanted), redirectUri, linkSessionId }
	const { secrets, cookie } = await openFlow(context, request, flow)
	const start = provider.kind === 'github' ? beginGithub : beginOidc
	return { url: await start(provider, context.fetch, secrets), cookie }
}

async function finish(
	context: FederationContext,
	request: IncomingMessage,
	provider: SignInProvider,
	state: string | undefined,
	search: string,
	caller: Caller,
): Promise<{ session: OpenSession | null; returnTo: string }> {
	const { row, secrets } = await closeFlow(context, request, provider, state)
	const end = provider.kind === 'github' ? finishGithub : finishOidc
	const profile = await end(provider, context.fetch, secrets, search)
	const returnTo = row.return_to
	if (row.link_session_id === null)
		return { session: await signIn(context, provider, profile, caller), returnTo }
	await linkIdentity(context, provider, profile, row.link_session_id, caller)
	return { session: null, returnTo }
}

interface Redirecting {
	params: { provider: string }
	context: RequestContext
	setHeader(name: string, value: string): void
}

/** Sends the browser on; after a failure to the page for signing in, which knows the code. */
async function redirecting(
	context: FederationContext,
	{ params, setHeader, context: requestContext }: Redirecting,
	step: () => Promise<string>,
): Promise<undefined> {
	const location = await step().catch((error: unknown) =>
		dashboardPath(
			context,
			`/ui/sign-in?error=${codeOf(context, params.provider, error, requestContext.requestId)}`,
		),
	)
	setHeader('location', location)
	// The address of the callback has the code in it: it is for nobody else.
	setHeader('referrer-policy', 'no-referrer')
	return undefined
}

function codeOf(
	{ log }: FederationContext,
	provider: string,
	error: unknown,
	requestId: string | null,
): SignInErrorCode {
	const named = toSignInError(error)
	log.warn(
		{ provider, code: named.code, err: named.cause, request_id: requestId },
		'sign-in by a provider failed',
	)
	return named.code
}

function toProblem(context: FederationContext, provider: string, error: unknown): Problem {
	const code = codeOf(context, provider, error, null)
	if (code === 'provider_unknown') return new Problem('not_found', 'There is no such provider.')
	return new Problem('upstream_unreachable', `${provider}: ${toSignInError(error).message}.`, {
		cause: error,
	})
}

/** Where people come in: as set, else where this browser came, which the ingress has judged to be this machine. */
function addressOf({ config }: FederationContext, request: IncomingMessage): string {
	return config.PUBLIC_URL?.replace(/\/$/, '') ?? `http://${request.headers.host}`
}

function dashboardPath({ config }: FederationContext, path: string): string {
	const prefix = config.PUBLIC_URL ? new URL(config.PUBLIC_URL).pathname.replace(/\/$/, '') : ''
	return `${prefix}${path}`
}

function sessionCookies({ accessTokens, cookies, clock }: FederationContext, session: OpenSession): string[] {
	const { token } = accessTokens.issue(session)
	const maxAgeS = Math.floor((session.expiresAtMs - clock.nowMs()) / 1000)
	return cookies.set(token, { token: session.refreshToken, maxAgeS })
}

/** Gives whatever a step at a provider threw a name of the catalogue. What it wrote is for the log only. */
function toSignInError(error: unknown): SignInError {
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
