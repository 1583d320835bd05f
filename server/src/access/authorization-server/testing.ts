import { createHash, randomBytes } from 'node:crypto'
import type { TestAnswer, TestPerson } from '../../accounts/identity/testing.ts'
import { refuseMcp } from '../../gateway/index.ts'
import { type MoreAreas, openTestGatewayOn, type TestGateway } from '../../gateway/testing.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { openAuthorizationServer, withChallenge } from './authorization-server.ts'

export const redirectUri = 'http://127.0.0.1:33418/callback'

/** The gateway with the authorization server in front, wired as in `app.ts`. */
export interface OauthStage extends TestGateway {
	/** Registers a client. Resolves with its id. */
	addClient(redirectUris?: string[]): Promise<string>
	/** Opens an authorization URL as a new browser would. Resolves with the redirect target and the browser's cookie. */
	open(url: string | URL): Promise<{ status: number; location: URL; cookie: string; text: string }>
	/** Answers on the consent page. Resolves with the redirect target. */
	decide(page: { location: URL; cookie: string }, person: TestPerson, decision?: object): Promise<TestAnswer>
	/** The whole flow up to the code. */
	codeFor(clientId: string, person: TestPerson, change?: Record<string, string>): Promise<Consented>
	/** Posts a form to a protocol endpoint. */
	post(path: string, form: Record<string, string>): Promise<TestAnswer>
	/** The whole flow up to the tokens. */
	tokensFor(clientId: string, person: TestPerson, change?: Record<string, string>): Promise<Tokens>
}

export interface Consented {
	code: string
	/** The form that exchanges the code. */
	form: Record<string, string>
	answer: URL
}

export interface Tokens {
	access_token: string
	refresh_token: string
	expires_in: number
	scope: string
}

/** `more` opens further areas beside it. */
export async function startOauthStage(
	store: ControlStore,
	more: MoreAreas = () => ({}),
): Promise<OauthStage> {
	const gateway = await openTestGatewayOn(store, {}, (core) => {
		const own = openAuthorizationServer({
			...core,
			publicUrl: null,
			publicAddress: () => 'http://127.0.0.1:7777',
		})
		const others = more(core)
		return {
			...others,
			operations: [...own.operations, ...(others.operations ?? [])],
			routes: [...own.routes, ...(others.routes ?? [])],
			refusals: { mcp: withChallenge(null, refuseMcp) },
		}
	})
	const stage = gateway as OauthStage
	stage.addClient = async (redirectUris = [redirectUri]) => {
		const body = { client_name: 'Test client', redirect_uris: redirectUris }
		return (await gateway.request('POST', '/oauth/register', { body })).body.client_id
	}
	stage.open = async (url) => {
		const answer = await fetch(url, { redirect: 'manual' })
		const [cookie = ''] = answer.headers.getSetCookie().map((line) => line.split(';')[0] as string)
		const location = new URL(answer.headers.get('location') ?? gateway.url)
		return { status: answer.status, location, cookie, text: await answer.text() }
	}
	stage.decide = ({ location, cookie }, { token }, decision = { decision: 'approve' }) => {
		const request = location.hash.slice(1)
		const body = { request, ...decision }
		return gateway.request('POST', '/v1/authorizations/decide', { token, headers: { cookie }, body })
	}
	stage.post = async (path, form) => {
		const answer = await fetch(gateway.url + path, { method: 'POST', body: new URLSearchParams(form) })
		const text = await answer.text()
		return { status: answer.status, headers: answer.headers, text, body: text ? JSON.parse(text) : undefined }
	}
	stage.codeFor = (...of) => codeFor(stage, ...of)
	stage.tokensFor = async (...of) => {
		const { form } = await codeFor(stage, ...of)
		const { status, body, text } = await stage.post('/oauth/token', form)
		if (status !== 200) throw new Error(`/oauth/token answered ${status}: ${text}`)
		return body
	}
	return stage
}

/** The URL that a client opens. A field of '' is left out. */
export function authorizeUrl(
	{ url }: Pick<OauthStage, 'url'>,
	clientId: string,
	verifier: string,
	change: Record<string, string> = {},
): URL {
	const fields = {
		response_type: 'code',
		client_id: clientId,
		redirect_uri: redirectUri,
		state: 'the state',
		scope: 'mcp:invoke',
		resource: `${url}/mcp`,
		code_challenge: createHash('sha256').update(verifier).digest('base64url'),
		code_challenge_method: 'S256',
		...change,
	}
	const asked = new URL(`${url}/oauth/authorize`)
	for (const [name, value] of Object.entries(fields)) if (value !== '') asked.searchParams.set(name, value)
	return asked
}

async function codeFor(
	stage: OauthStage,
	clientId: string,
	person: TestPerson,
	change: Record<string, string> = {},
): Promise<Consented> {
	const verifier = randomBytes(32).toString('base64url')
	const page = await stage.open(authorizeUrl(stage, clientId, verifier, change))
	const { body, text } = await stage.decide(page, person)
	if (!body.redirect_url) throw new Error(`The consent failed: ${text}`)
	const answer = new URL(body.redirect_url)
	const code = answer.searchParams.get('code') ?? ''
	const form = {
		grant_type: 'authorization_code',
		code,
		client_id: clientId,
		redirect_uri: change.redirect_uri ?? redirectUri,
		code_verifier: verifier,
	}
	return { code, form, answer }
}
