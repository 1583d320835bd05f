import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { SignInProvider } from '../../../config/config.ts'
import { hashToken } from '../../../platform/crypto/token.ts'
import { newId } from '../../../platform/ids.ts'
import { type FederationContext, flowLifetimeMs, SignInError } from './federation-context.ts'
import { deleteFlowsBefore, type FlowRow, insertFlow, takeFlow } from './federation-repository.ts'
import type { FlowSecrets } from './profile.ts'

const random = () => randomBytes(32).toString('base64url')

interface WantedFlow {
	provider: SignInProvider
	returnTo: string
	redirectUri: string
	linkSessionId: string | null
}

/** Notes a sign-in that begins; with the `set-cookie` value that binds it to the browser. */
export async function openFlow(
	{ mutate, clock, sealer, browserCookie }: FederationContext,
	request: IncomingMessage,
	wanted: WantedFlow,
): Promise<{ secrets: FlowSecrets; cookie: string }> {
	const { provider, redirectUri } = wanted
	const secrets: FlowSecrets = { state: random(), nonce: random(), verifier: random(), redirectUri }
	// The cookie stays the same while it lives, so that two tabs can sign in side by side.
	const browser = browserCookie.read(request) ?? random()
	const nowMs = clock.nowMs()
	const id = newId(nowMs)
	const row: FlowRow = {
		id,
		state_hash: hashToken(secrets.state),
		browser_hash: hashToken(browser),
		provider: provider.id,
		issuer: provider.issuer,
		sealed_secrets: sealer.seal(JSON.stringify(secrets), sealContext(id, provider)),
		return_to: wanted.returnTo,
		link_session_id: wanted.linkSessionId,
		created_at: nowMs,
		expires_at: nowMs + flowLifetimeMs,
	}
	await mutate(async (tx) => {
		await deleteFlowsBefore(tx, clock.deletionMs())
		await insertFlow(tx, row)
	})
	return { secrets, cookie: browserCookie.set(browser) }
}

/** The flow of a `state`, once; a wrong browser or provider uses it up too. Throws `flow_invalid`. */
export async function closeFlow(
	{ mutate, clock, sealer, browserCookie }: FederationContext,
	request: IncomingMessage,
	provider: SignInProvider,
	state: string | undefined,
): Promise<{ row: FlowRow; secrets: FlowSecrets }> {
	const browser = browserCookie.read(request)
	const row = state ? await mutate((tx) => takeFlow(tx, hashToken(state))) : undefined
	if (!row || row.expires_at <= clock.nowMs()) throw new SignInError('flow_invalid')
	if (browser === null || row.browser_hash !== hashToken(browser)) throw new SignInError('flow_invalid')
	if (row.provider !== provider.id || row.issuer !== provider.issuer) throw new SignInError('flow_invalid')
	return {
		row,
		secrets: JSON.parse(sealer.open(row.sealed_secrets, sealContext(row.id, provider))) as FlowSecrets,
	}
}

function sealContext(id: string, { issuer }: SignInProvider) {
	return { workspaceId: '', kind: 'sign_in_flow', origin: issuer, id }
}

const base = 'http://base.invalid'

/**
 * The path below `/ui/` to which a sign-in may lead back; anything else is `/ui/`. A path is taken only when a browser
 * reads it exactly as it is written: no other way of writing the same place, so nothing can hide in one.
 */
export function returnPath(wanted: string | undefined): string {
	return wanted !== undefined && isPlain(wanted) ? wanted : '/ui/'
}

function isPlain(wanted: string): boolean {
	if (!/^\/ui\/[\w\-./~%?&=+:,@!$'()*;#]*$/.test(wanted)) return false
	const [path = ''] = wanted.split(/[?#]/, 1)
	if (path.includes('//') || /%(?:2e|2f|5c|25|0|1)/i.test(path)) return false
	const url = URL.parse(wanted, base)
	return url?.origin === base && `${url.pathname}${url.search}${url.hash}` === wanted
}
