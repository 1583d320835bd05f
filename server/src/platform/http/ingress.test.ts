import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { operation, Strict } from '@signalbox/contract'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Problem } from '../errors.ts'
import { createLog, silentLog } from '../log.ts'
import { createApi } from './api.ts'
import { createOriginCheck } from './cors.ts'
import { createIngress } from './ingress.ts'
import { type Listener, listen } from './listener.ts'
import { LiveRequests } from './live-requests.ts'
import { bind } from './operations.ts'
import type { UserPrincipal } from './principal.ts'
import { refuseWithProblem } from './refusals.ts'
import type { Route } from './route.ts'

const echo = operation({
	id: 'echo',
	method: 'POST',
	path: '/echo/{id}',
	summary: 'Echo',
	access: { kinds: ['user'], roleScope: 'members:write' },
	params: Strict({ id: Type.String() }),
	query: Strict({ times: Type.Integer({ minimum: 1, default: 1 }) }),
	body: Strict({ text: Type.String({ maxLength: 20 }), inner: Type.Optional(Strict({ a: Type.Integer() })) }),
	status: 200,
	response: Strict({ text: Type.String(), times: Type.Integer() }),
})
const press = operation({
	id: 'press',
	method: 'POST',
	path: '/press/{id}',
	summary: 'Takes no body',
	access: { kinds: ['user'] },
	params: Type.Object({ id: Type.String() }),
	status: 200,
	response: Type.Object({ id: Type.String() }),
})
const turn = operation({
	id: 'turn',
	method: 'PUT',
	path: '/turn/{id}',
	summary: 'May take a body',
	access: { kinds: ['user'] },
	params: Type.Object({ id: Type.String() }),
	body: Type.Optional(Type.Object({ by: Type.Optional(Type.Integer()) }, { additionalProperties: false })),
	status: 200,
	response: Type.Object({ id: Type.String() }),
})
const user: UserPrincipal = {
	kind: 'user',
	userId: 'u',
	email: 'u@example.org',
	workspaceId: 'w',
	role: 'admin',
	operator: false,
	sessionId: 's',
}

describe('the ingress', () => {
	let listener: Listener
	const liveRequests = new LiveRequests()
	const denied: string[] = []
	const lines: { level: string; code?: string; request_id: string; err?: { stack?: string } }[] = []
	let revoked = false
	let streams = 0
	/** A check of a credential that takes long, and what its request does meanwhile. */
	const slow = Promise.withResolvers<UserPrincipal>()
	const slowBegun = Promise.withResolvers<void>()
	const slowGone = Promise.withResolvers<void>()
	const checkSlowly = (request: IncomingMessage) => {
		request.socket.once('close', slowGone.resolve)
		slowBegun.resolve()
		return slow.promise
	}

	beforeAll(async () => {
		const api = await createApi(
			bind(
				{ echo, press, turn },
				{
					echo: ({ body, query }) => ({ text: body.text, times: query.times, secret: 'leak' }) as never,
					press: ({ params }) => params,
					turn: ({ params }) => params,
				},
			),
			silentLog,
		)
		const stream: Route = {
			id: 'stream',
			method: 'GET',
			path: '/stream',
			access: { kinds: ['user'] },
			family: 'api',
			handle: (_request, response, context) => {
				streams += 1
				context.guard(
					() => (revoked ? new Problem('unauthenticated') : null),
					() => response.destroy(),
				)
				response.write('open')
			},
		}
		const bug: Route = {
			id: 'bug',
			method: 'GET',
			path: '/bug',
			access: { public: true },
			family: 'api',
			handle: async () => {
				throw new Error('boom sk_service_secret')
			},
		}
		const full: Route = {
			...{ id: 'full', method: 'GET', path: '/full', access: { public: true }, family: 'mcp' },
			handle: async () => {
				throw new Problem('recorder_full', 'The log is full.', { retryAfterS: 1 })
			},
		}
		const ingress = createIngress({
			routes: [...api.routes, stream, bug, full],
			authenticate: (request) =>
				request.headers.authorization === 'Bearer slow'
					? checkSlowly(request)
					: request.headers.authorization === 'Bearer good'
						? user
						: request.headers.authorization === 'Bearer low'
							? { ...user, role: 'viewer' }
							: null,
			refusals: {
				api: refuseWithProblem,
				mcp: refuseWithProblem,
				model: refuseWithProblem,
				otlp: refuseWithProblem,
				page: refuseWithProblem,
			},
			checkOrigin: createOriginCheck({ publicHost: null, loopbackOnly: true, corsOrigins: [] }),
			onDenied: (route) => void denied.push(route.id),
			liveRequests,
			log: createLog('info', { write: (line) => void lines.push(JSON.parse(line)) }),
		})
		listener = await listen('127.0.0.1', 0, ingress)
	})
	afterAll(() => listener.close(0))

	const call = (path: string, init: RequestInit = {}) =>
		fetch(`http://127.0.0.1:${listener.port}${path}`, init)
	const post = (
		body: unknown,
		headers: Record<string, string> = { authorization: 'Bearer good' },
		path = '/echo/1',
	) =>
		call(path, {
			method: 'POST',
			body: typeof body === 'string' ? body : JSON.stringify(body),
			headers: { 'content-type': 'application/json', ...headers },
		})

	it('serves an operation and omits fields that its response schema lacks', async () => {
		const response = await post({ text: 'hi' })
		expect(response.status).toBe(200)
		expect(await response.json()).toEqual({ text: 'hi', times: 1 })
		expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
	})

	it('answers headers over the limit with a problem', async () => {
		const response = await call('/echo/1', { headers: { cookie: 'x'.repeat(17_000) } })
		const problem = (await response.json()) as { request_id: string }
		expect([response.status, response.headers.get('content-type')]).toEqual([431, 'application/problem+json'])
		expect(problem).toMatchObject({ status: 431, code: 'headers_too_large' })
		expect(problem.request_id).toBe(response.headers.get('x-request-id'))
	})

	it('logs each bug with its stack, and a lasting refusal once and without', async () => {
		const before = lines.length
		const answers: Response[] = []
		for (const path of ['/full', '/full', '/bug', '/full', '/bug']) answers.push(await call(path))
		expect(answers.map(({ status }) => status)).toEqual([503, 503, 500, 503, 500])
		const logged = lines.slice(before)
		expect(logged.map(({ level, code }) => [level, code])).toEqual([
			['warn', 'recorder_full'],
			['error', undefined],
			['error', undefined],
		])
		expect(logged[0]).toMatchObject({
			reason: 'The log is full.',
			request_id: answers[0]?.headers.get('x-request-id'),
		})
		expect(logged[0]?.err).toBeUndefined()
		expect(logged[1]?.err?.stack).toContain('ingress.test.ts')
	})

	it('responds with 401 without a credential, and with 403 to an insufficient role, which is reported', async () => {
		const none = await post({ text: 'hi' }, {})
		expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="signalbox"'])
		expect(await none.json()).toMatchObject({
			detail: expect.stringMatching(/^The request has no credential\. This endpoint takes /),
		})
		const low = await post({ text: 'hi' }, { authorization: 'Bearer low' })
		expect(low.status).toBe(403)
		expect(await low.json()).toMatchObject({
			code: 'forbidden',
			detail: 'This needs the role admin; yours is viewer.',
		})
		expect(denied).toEqual(['echo'])
	})

	it.each([
		['unknown field', { text: 'a', more: 1 }, '/more'],
		['unknown inner field', { text: 'a', inner: { a: 1, 'b/c': 2 } }, '/inner/b~1c'],
		['wrong type', { text: 5 }, '/text'],
		['missing field', {}, '/text'],
		['lone surrogate', '{"text":"\\ud800"}', '/text'],
		['NUL', '{"text":"a\\u0000"}', '/text'],
	])('refuses a body with %s, pointing at it', async (_name, body, pointer) => {
		const response = await post(body)
		expect(response.status).toBe(400)
		expect(response.headers.get('content-type')).toContain('application/problem+json')
		const problem = (await response.json()) as { code: string; errors: { pointer: string }[] }
		expect(problem.code).toBe('invalid_request')
		expect(problem.errors[0]?.pointer).toBe(pointer)
	})

	it.each([
		['malformed JSON', '{"text":', 400, 'invalid_json'],
		['a __proto__ key', '{"text":"a","__proto__":{"x":1}}', 400, 'invalid_json'],
		['a body over the limit', JSON.stringify({ text: 'x'.repeat(1100 * 1024) }), 413, 'body_too_large'],
	])('refuses %s', async (_name, body, status, code) => {
		const response = await post(body)
		expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code])
	})

	it.each([
		['a content type', { 'content-type': 'application/json' }],
		['no content type', {}],
	])('treats an empty body as none, with %s', async (_name, headers) => {
		const send = (method: string, path: string) =>
			call(path, { method, headers: { ...headers, authorization: 'Bearer good' } })
		expect((await send('POST', '/press/1')).status).toBe(200)
		expect((await send('PUT', '/turn/1')).status).toBe(200)
		const needed = await send('POST', '/echo/1')
		expect(needed.status).toBe(400)
		expect(await needed.json()).toMatchObject({
			code: 'invalid_json',
			detail: 'The body is empty. Send a JSON object with `text`, as /openapi.json describes it.',
		})
	})

	it('refuses fields if the operation has no body', async () => {
		const given = await post({ by: 1 }, { authorization: 'Bearer good' }, '/press/1')
		expect(given.status).toBe(400)
		expect(await given.json()).toMatchObject({ errors: [{ pointer: '/by', detail: 'is not a known field' }] })
		expect((await post({}, { authorization: 'Bearer good' }, '/press/1')).status).toBe(200)
	})

	it('refuses a compressed body by its encoding, not as wrong JSON', async () => {
		const send = (coding: string) =>
			post({ text: 'a' }, { authorization: 'Bearer good', 'content-encoding': coding })
		expect((await send('identity')).status).toBe(200)
		const packed = await send('gzip')
		expect(packed.status).toBe(415)
		expect(await packed.json()).toMatchObject({
			code: 'unsupported_media_type',
			detail: 'Send the body as it is, without Content-Encoding.',
		})
	})

	it('refuses other content types and unknown query parameters', async () => {
		expect(
			(await post('text=1', { authorization: 'Bearer good', 'content-type': 'text/plain' })).status,
		).toBe(415)
		expect((await post({ text: 'a' }, { authorization: 'Bearer good' }, '/echo/1?more=1')).status).toBe(400)
		expect((await post({ text: 'a' }, { authorization: 'Bearer good' }, '/echo/1?times=zero')).status).toBe(
			400,
		)
	})

	it.each([
		'//echo/1',
		'/echo/../echo/1',
		'/echo/%2e%2e/1',
		'/echo/a%2fb',
		'/echo/a%5Cb',
		'/echo/%00',
		'/echo/./1',
	])('refuses the path %s', async (path) => {
		expect(
			await rawStatus(listener.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
		).toBe(400)
	})

	it.each([
		'/echo/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ax%2F..%2F..',
		'/echo/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ax%2F%2E%2E',
		'/echo/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ax%2F',
		'/echo/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3A%2Fx',
		'/echo/x-arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ax%2Fy',
	])('refuses the path %s, which is no ARN', async (path) => {
		expect(
			await rawStatus(listener.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
		).toBe(400)
	})

	it('accepts the encoded slash of an ARN', async () => {
		const arn = 'arn%3Aaws-us-gov%3Abedrock%3Aus-gov-west-1%3A123456789012%3Acustom-model%2Fx.y-v1%3A0%2Fa1b2'
		const head = `GET /echo/${arn} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
		expect(await rawStatus(listener.port, head)).toBe(405)
	})

	it.each(['evil.example', 'a/?x=', 'localhost:99999999', ''])('refuses the host "%s"', async (host) => {
		expect(
			await rawStatus(listener.port, `GET /echo/1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
		).toBe(400)
	})

	it('names the methods of a path, and 404s unknown ones', async () => {
		const wrong = await call('/echo/1')
		expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
		expect((await call('/nothing')).status).toBe(404)
		expect(await (await call('/echo/1/')).text()).toContain('without the slash at its end')
		for (const path of ['/v1/chat/completions', '/openai/v1/messages', '/responses'])
			expect(await (await call(path)).text()).toContain('/proxy/openai/v1/chat/completions')
		expect(await (await call('/nothing')).text()).not.toContain('/proxy')
	})

	it('responds to a bug with 500, without the error text', async () => {
		const response = await call('/bug')
		expect(response.status).toBe(500)
		expect(await response.text()).not.toContain('boom')
	})

	it('does not begin what its client has left while the credential was checked', async () => {
		const before = streams
		const socket = connect(listener.port, '127.0.0.1')
		socket.write('GET /stream HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer slow\r\n\r\n')
		await slowBegun.promise
		socket.destroy()
		await slowGone.promise
		slow.resolve(user)
		await (await call('/nothing')).text()
		expect([streams - before, liveRequests.size]).toEqual([0, 0])
	})

	it('ends a running stream when its caller loses access', async () => {
		const stream = await openStream(listener.port)
		revoked = true
		liveRequests.recheck()
		await stream.closed
		expect(liveRequests.size).toBe(0)
	})
})

function rawStatus(port: number, text: string): Promise<number> {
	return new Promise((resolve, reject) => {
		const socket = connect(port, '127.0.0.1', () => socket.write(text))
		let answer = ''
		socket.on('data', (chunk) => {
			answer += chunk
		})
		socket.on('error', reject)
		socket.on('close', () => resolve(Number(answer.split(' ')[1])))
	})
}

function openStream(port: number): Promise<{ closed: Promise<void> }> {
	return new Promise((resolve, reject) => {
		const request = httpRequest(
			{ port, host: '127.0.0.1', path: '/stream', headers: { authorization: 'Bearer good' } },
			(response: IncomingMessage) => {
				const closed = new Promise<void>((done) => response.on('close', done))
				response.on('error', () => {})
				response.once('data', () => resolve({ closed }))
			},
		)
		request.on('error', reject)
		request.end()
	})
}
