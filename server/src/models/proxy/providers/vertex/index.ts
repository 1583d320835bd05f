import { createPrivateKey } from 'node:crypto'
import { SignJWT } from 'jose'
import { linesOf } from '../../../../ledger/ledger.ts'
import { startTimer } from '../../../../platform/clock.ts'
import { Problem } from '../../../../platform/errors.ts'
import type { OwnKeys } from '../../caller-keys.ts'
import { anthropic } from '../anthropic/index.ts'
import { gemini, methods, refuseMask } from '../gemini/index.ts'
import {
	type CredentialTools,
	countIn,
	countOrZero,
	type Fields,
	fieldsIn,
	type HeaderList,
	type ModelProvider,
	newReading,
	type ResponseReader,
	type Surface,
	textOr,
} from '../provider.ts'
import { type SurfaceOf, surfaceTable } from '../surface-table.ts'

const fields: ReadonlySet<string> = new Set(['predictions', 'error'])

/** Reads embeddings of Vertex AI, which report tokens with each prediction, and images of Imagen, which are billed by number. */
function newPredictReader(): ResponseReader {
	const reading = newReading()
	return {
		fields,
		reading,
		onEvent: () => {},
		onBody: (found) => {
			const predictions = found.get('predictions')
			const made = (Array.isArray(predictions) ? predictions : []).map((one) => fieldsIn(one) ?? {})
			const in_text = made.reduce((sum, prediction) => sum + tokensIn(prediction), 0)
			const image_count = made.filter(({ bytesBase64Encoded, gcsUri }) => bytesBase64Encoded ?? gcsUri).length
			const lines = linesOf({ in_text, image_count })
			// What other models predict is billed in a way that is not known here.
			if (lines.length > 0) {
				reading.usage = { lines, inconsistent: false }
				reading.complete = true
			}
			const error = fieldsIn(found.get('error'))
			if (error) reading.errorType = textOr(error.status, 'error')
			reading.errorMessage = textOr(error?.message, '')
			reading.ended = true
		},
	}
}

function tokensIn({ embeddings }: Fields): number {
	const statistics = fieldsIn(fieldsIn(embeddings)?.statistics)
	return countOrZero(statistics?.token_count)
}

const version = /^(?:v1beta1|v1beta)\//
const place = /^projects\/([^/]+)\/locations\/([^/]+)\/(.+)$/

const claude: Surface = {
	operation: 'chat',
	modelCall: true,
	listed: true,
	refers: true,
	format: 'anthropic',
}
const predict: Surface = { operation: 'embeddings', modelCall: true, listed: true, format: 'predict' }

/** Google's models, which are the same for all projects and belong to none. */
const catalogue = /^(?:v1\/)?(?:v1beta1\/|v1beta\/)?publishers\/google\/models(?:\/[^/:]+)?$/
const models: Surface = { operation: 'models', modelCall: false, listed: true }

const ofGoogle = Object.entries(methods).map(([method, surface]) => [
	`POST publishers/google/models/{model}:${method}`,
	surface,
])
const known: SurfaceOf = surfaceTable({
	...Object.fromEntries(ofGoogle),
	'POST publishers/google/models/{model}:predict': predict,
	'POST publishers/anthropic/models/count-tokens:rawPredict': {
		...{ operation: 'count_tokens', modelCall: false, listed: true, refers: true, format: 'anthropic' },
	},
	'POST publishers/anthropic/models/{model}:rawPredict': claude,
	'POST publishers/anthropic/models/{model}:streamRawPredict': claude,
})

/** The known paths of Vertex AI, which begin with project and location; listed in docs/model-proxy.md. */
function surfaceOf(method: string, path: string): Surface | null {
	if (catalogue.test(path)) return method === 'GET' || method === 'HEAD' ? models : null
	const rest = place.exec(path.replace(version, ''))?.[3]
	const surface = rest === undefined ? null : known(method, rest)
	const isImagen = surface?.format === 'predict' && surface.model?.startsWith('imagen')
	return isImagen ? { ...surface, operation: 'images/generations' } : surface
}

/** The project and location in a path. */
function placeOf(path: string): { project: string; location: string } | null {
	const [, project, location] = place.exec(path.replace(/^v1\//, '').replace(version, '')) ?? []
	return project === undefined || location === undefined ? null : { project, location }
}

/** The caller's own access token. */
function ownKeyHeaders({ bearer }: OwnKeys): HeaderList | null {
	return bearer === null ? null : ['authorization', `Bearer ${bearer}`]
}

/** A service account may have access to more projects than the one for which it is stored. */
function refusePath(credential: string, path: string): string | null {
	if (catalogue.test(path)) return null
	const { project, location } = JSON.parse(credential) as VertexCredential
	const asked = placeOf(path)
	if (asked?.project === project && asked.location === location) return null
	return `The stored service account is for projects/${project}/locations/${location} only.`
}

/** Gemini and Claude on Vertex AI, each in its own wire format. */
export const vertex: ModelProvider = {
	authorize,
	ownKeyHeaders,
	surfaceOf,
	refusePath,
	refuseRequest: refuseMask,
	referencesIn: (text, isDocument) => [
		...(gemini.referencesIn?.(text, isDocument) ?? []),
		...(anthropic.referencesIn?.(text, isDocument) ?? []),
	],
	newReader: (surface) => {
		if (surface.format === 'predict') return newPredictReader()
		return (surface.format === 'anthropic' ? anthropic : gemini).newReader(surface)
	},
	errorBody: gemini.errorBody,
	errorEvent: (problem, requestId, surface) =>
		(surface.format === 'anthropic' ? anthropic : gemini).errorEvent(problem, requestId, surface),
	probe: () => ({
		method: 'GET',
		path: 'v1beta1/publishers/google/models?pageSize=100',
		modelsIn: countIn('publisherModels'),
	}),
}

/** A stored credential of Vertex AI. */
interface VertexCredential {
	service_account: { client_email: string; private_key: string; private_key_id?: string; token_uri?: string }
	project: string
	location: string
}

const defaultTokenUri = 'https://oauth2.googleapis.com/token'
const scope = 'https://www.googleapis.com/auth/cloud-platform'
const assertionLifeS = 3600
/** A token is renewed this long before it expires. */
const marginMs = 5 * 60_000
const timeoutMs = 15_000

interface Token {
	header: HeaderList
	/** By the wall clock, which also counts the time in which the machine is suspended. */
	expiresMs: number
	/** By the monotonic clock, which is never set back. */
	ageMs(): number
	lifeMs: number
}

/** Tokens by credential, or pending requests for one, which all calls share. */
const tokens = new Map<string, Token | Promise<HeaderList>>()
const maxRemembered = 1000

/** The access token of a service account as a header. Synchronous if one is cached. */
function authorize(
	credential: string,
	_request: unknown,
	tools: CredentialTools,
): HeaderList | Promise<HeaderList> {
	const token = tokens.get(credential)
	if (token instanceof Promise) return token
	if (token && tools.clock.nowMs() < token.expiresMs - marginMs && token.ageMs() < token.lifeMs - marginMs)
		return token.header
	const asked = exchange(JSON.parse(credential) as VertexCredential, tools)
		.then((fresh) => {
			if (tokens.size >= maxRemembered) tokens.clear()
			tokens.set(credential, fresh)
			return fresh.header
		})
		.catch((error: unknown) => {
			tokens.delete(credential)
			throw error
		})
	tokens.set(credential, asked)
	return asked
}

/** Exchanges a signed assertion for an access token (RFC 7523). */
async function exchange({ service_account }: VertexCredential, tools: CredentialTools): Promise<Token> {
	const nowMs = tools.clock.nowMs()
	const ageMs = startTimer()
	const tokenUri = service_account.token_uri ?? defaultTokenUri
	const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
	const assertion = await signAssertion(service_account, tokenUri, Math.floor(nowMs / 1000))
	const response = await tools.fetch(tokenUri, {
		method: 'POST',
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
		body: new URLSearchParams({ grant_type, assertion }).toString(),
		timeoutMs,
		redirects: 0,
	})
	const answer = (await response.json().catch(() => null)) as Record<string, unknown> | null
	if (!response.ok || typeof answer?.access_token !== 'string') throw refused(response.status, answer)
	const lifeMs = (typeof answer.expires_in === 'number' ? answer.expires_in : assertionLifeS) * 1000
	return {
		...{ header: ['authorization', `Bearer ${answer.access_token}`], expiresMs: nowMs + lifeMs },
		...{ ageMs, lifeMs },
	}
}

async function signAssertion(
	{ client_email, private_key, private_key_id: kid }: VertexCredential['service_account'],
	audience: string,
	nowS: number,
): Promise<string> {
	return new SignJWT({ scope })
		.setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(kid && { kid }) })
		.setIssuer(client_email)
		.setAudience(audience)
		.setIssuedAt(nowS)
		.setExpirationTime(nowS + assertionLifeS)
		.sign(createPrivateKey(private_key))
}

function refused(status: number, answer: Record<string, unknown> | null): Problem {
	const reason = typeof answer?.error === 'string' ? ` (${answer.error.slice(0, 80)})` : ''
	return new Problem(
		'upstream_unreachable',
		`The token endpoint refuses the service account: ${status}${reason}.`,
	)
}
