import { setTimeout as wait } from 'node:timers/promises'
import type { components, paths } from '@signalbox/contract/api'
import type { ProblemCode } from '@signalbox/contract/problems'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import createFetchClient, { type Client as FetchClient, type Middleware } from 'openapi-fetch'

/** An error of the platform API (RFC 9457), as received by a client. */
interface ProblemDocument {
	title: string
	status: number
	detail: string
	code: ProblemCode
	request_id: string
	errors?: { pointer: string; code: string; detail: string }[]
}

/** A failure of the platform API, or of the connection to it (`status` 0, code `unreachable`). */
export class ApiProblem extends Error {
	readonly status: number
	readonly code: ProblemCode | 'unreachable' | 'unknown'
	readonly requestId: string | null
	readonly fields: readonly { pointer: string; detail: string }[]

	constructor(status: number, problem: Partial<ProblemDocument>) {
		super(problem.detail ?? problem.title ?? `The server answered ${status}.`)
		this.status = status
		this.code = problem.code ?? (status === 0 ? 'unreachable' : 'unknown')
		this.requestId = problem.request_id ?? null
		this.fields = problem.errors ?? []
	}
}

/** The problem in any response that is not a success, whatever its body. */
function problemOf(response: Response, body: unknown): ApiProblem {
	const document = typeof body === 'object' && body !== null ? (body as Partial<ProblemDocument>) : {}
	return new ApiProblem(response.status, {
		request_id: response.headers.get('x-request-id') ?? '',
		...document,
	})
}

/** `fetch` hides the reason (`ECONNREFUSED`) in the cause. */
function unreachable(baseUrl: string, error: unknown): ApiProblem {
	const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
	const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message
	const why = reasons.find(({ codes }) => codes.test(reason))?.why
	const detail = why
		? `${baseUrl} cannot be used: ${why} (${reason}).`
		: `${baseUrl} does not answer (${reason}).`
	return new ApiProblem(0, { detail })
}

/** Failures that waiting does not mend, because the address is wrong or the certificate is not trusted. */
const reasons = [
	{ codes: /^(ENOTFOUND|EAI_AGAIN)$/, why: 'its host name is unknown' },
	{ codes: /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/, why: 'it speaks no TLS; try http://' },
	{ codes: /does not match the HTTP/, why: 'it is not a web server' },
	{ codes: /^(UND_ERR_SOCKET|ECONNRESET)$/, why: 'it closed the connection; if it speaks TLS, use https://' },
	{ codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, why: 'its certificate is not valid now' },
	{ codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/, why: 'its certificate is for another host name' },
	{
		codes: /SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|^CERT_UNTRUSTED$/,
		why: 'its certificate is not trusted; NODE_EXTRA_CA_CERTS can name the file of its authority',
	},
] as const

/** The API's schemas, by their titles in the contract. */
export type Schemas = components['schemas']
export type Client = FetchClient<paths>

export interface ClientOptions {
	/** URL of the instance, including its path prefix if it has one. */
	baseUrl: string
	/** A platform key or an access token; null for public operations. */
	key: string | null
	/** Retries requests that the instance defers, and those that may have been lost with a connection. */
	patient?: true
}

/**
 * A typed client of the platform API, generated from its OpenAPI document. Calls resolve to `{data, response}`. They throw an
 * `ApiProblem` for every response that is not a success, and if there is no response.
 */
export function createClient({ baseUrl, key, patient }: ClientOptions): Client {
	const base = baseUrl.replace(/\/+$/, '')
	const client = createFetchClient<paths>({
		baseUrl: base,
		// The key is not sent to where a redirect leads, so the answer there would only confuse.
		redirect: 'manual',
		...(patient && { fetch: patientFetch }),
		...(key !== null && { headers: { authorization: `Bearer ${key}` } }),
	})
	client.use(throwProblems(base))
	return client
}

function throwProblems(baseUrl: string): Middleware {
	return {
		onResponse: async ({ response, schemaPath }) => {
			const body: unknown = response.ok ? null : await response.json().catch(() => null)
			const isProblem = typeof body === 'object' && body !== null && 'code' in body
			if (!isProblem && !isOfInstance(response)) throw fromElsewhere(baseUrl, response)
			if (!response.ok) throw problemOf(response, body)
			// The dashboard answers every path below /ui with its page.
			if (schemaPath.startsWith('/v1/') && isPage(response))
				throw new ApiProblem(0, { detail: notAnInstance(baseUrl) })
		},
		onError: ({ error }) => unreachable(baseUrl, error),
	}
}

/** Every answer of an instance has an id; a proxy may take it away. */
function isOfInstance({ headers, status }: Response): boolean {
	const isRedirect = status >= 300 && status < 400
	return !isRedirect && ['x-request-id', 'ratelimit-policy'].some((name) => headers.has(name))
}

/** An answer of another program at this address, or of a proxy in front of the instance. */
function fromElsewhere(baseUrl: string, { status, headers }: Response): ApiProblem {
	const target = headers.get('location')
	if (target !== null && status >= 300 && status < 400) {
		const to = URL.canParse(target, baseUrl) ? new URL(target, baseUrl).origin : target
		return new ApiProblem(0, {
			detail: `${baseUrl} redirects to ${to}. Give the address that it redirects to.`,
		})
	}
	if (![502, 503, 504].includes(status)) return new ApiProblem(0, { detail: notAnInstance(baseUrl) })
	const detail = `A proxy at ${baseUrl} answered ${status}: it cannot reach Signalbox. Check that the program runs.`
	return new ApiProblem(status, { detail })
}

function isPage({ headers }: Response): boolean {
	return headers.get('content-type')?.startsWith('text/html') ?? false
}

export function notAnInstance(url: string): string {
	return `${url} is not the address of an instance. Give the address that the program prints at its start, without the path of a page.`
}

/** The body of a success response. */
export async function unwrap<T>(
	call: Promise<{ data?: T; response: Response }>,
): Promise<Exclude<T, undefined>> {
	return (await call).data as Exclude<T, undefined>
}

const maxAttempts = 5
const maxWaitS = 30

/**
 * Retries a request in two cases: when the instance asks for it (`Retry-After`), which means that nothing has happened yet, and
 * when the connection broke and the request is safe to repeat, as a read or by its `Idempotency-Key`.
 */
async function patientFetch(request: Request): Promise<Response> {
	for (let attempt = 1; ; attempt += 1) {
		const last = attempt === maxAttempts
		const response = await globalThis.fetch(request.clone()).catch((error: unknown) => {
			if (last || !isDoneOnce(request) || isRefused(error)) throw error
			return null
		})
		const seconds = response === null ? attempt : waitFor(response)
		if (response !== null && (last || seconds === null)) return response
		await response?.body?.cancel()
		await wait((seconds ?? 0) * 1000)
	}
}

function isDoneOnce({ method, headers }: Request): boolean {
	return method === 'GET' || headers.has('idempotency-key')
}

/** Nobody listens on the port: retrying would only delay the error message. */
function isRefused(error: unknown): boolean {
	const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined
	return ['ECONNREFUSED', 'ENOTFOUND'].includes(cause?.code ?? '') || cause?.message === 'bad port'
}

function waitFor({ status, headers }: Response): number | null {
	const seconds = Number(headers.get('retry-after') ?? Number.NaN)
	return [409, 429, 503].includes(status) && seconds >= 0 && seconds <= maxWaitS ? seconds : null
}

interface ServerSentEvent {
	event: string
	data: string
}

/**
 * The events of a stream of the platform API until it ends, after an `open` when the instance has accepted; throws an `ApiProblem` when it
 * is refused or aborted.
 */
export async function* readEvents(
	{ baseUrl, key }: ClientOptions,
	path: string,
): AsyncGenerator<ServerSentEvent> {
	const headers = { accept: 'text/event-stream', ...(key !== null && { authorization: `Bearer ${key}` }) }
	// The URL of the client's own instance was not registered by a user, so safe-fetch is not needed.
	const response = await globalThis.fetch(baseUrl + path, { headers }).catch((error: unknown) => {
		throw unreachable(baseUrl, error)
	})
	if (!response.ok || !response.body) throw problemOf(response, await response.json().catch(() => null))
	yield { event: 'open', data: '' }
	const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
	try {
		for await (const { event, data } of events) yield { event: event ?? 'message', data }
	} catch (error) {
		throw unreachable(baseUrl, error)
	}
}
