import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { createOriginCheck, withCors } from './cors.ts'
import { createIngress } from './ingress.ts'
import { type Listener, listen } from './listener.ts'
import { LiveRequests } from './live-requests.ts'
import { refuseWithProblem } from './refusals.ts'
import type { Route, RouteFamily } from './route.ts'

const friend = 'https://app.example'
const foe = 'https://evil.example'

function route(family: RouteFamily, path: string, method = 'GET'): Route {
	return {
		id: `${method} ${path}`,
		method,
		path,
		family,
		access: family === 'page' ? { public: true } : { kinds: ['user'] },
		handle: (_request, response) => {
			response.writeHead(200, { etag: '"1"' }).end('ok')
		},
	}
}

const routes = [
	route('api', '/v1/agents/{id}'),
	route('api', '/v1/agents/{id}', 'PATCH'),
	route('mcp', '/mcp', 'POST'),
	route('otlp', '/v1/traces', 'POST'),
	route('model', '/proxy/{connection}/{rest...}', '*'),
	route('page', '/ui/{rest...}'),
	route('page', '/oauth/token', 'POST'),
	route('page', '/oauth/authorize'),
]

async function serve(origins: readonly string[]): Promise<Listener> {
	const rules = { publicHost: null, loopbackOnly: true, corsOrigins: origins }
	const checkOrigin = createOriginCheck(rules)
	const ingress = createIngress({
		routes,
		authenticate: () => null,
		refusals: {
			api: refuseWithProblem,
			mcp: refuseWithProblem,
			model: refuseWithProblem,
			otlp: refuseWithProblem,
			page: refuseWithProblem,
		},
		checkOrigin,
		onDenied: () => {},
		liveRequests: new LiveRequests(),
		log: silentLog,
	})
	return listen('127.0.0.1', 0, withCors({ origins, routes, checkOrigin, handle: ingress }))
}

describe('pages of other origins', () => {
	let open: Listener
	let closed: Listener
	beforeAll(async () => {
		open = await serve([friend])
		closed = await serve([])
	})
	afterAll(() => Promise.all([open.close(0), closed.close(0)]))

	const call = (path: string, method: string, headers: Record<string, string>, listener = open) =>
		fetch(`http://127.0.0.1:${listener.port}${path}`, { method, headers })
	const preflight = (path: string, method: string, origin = friend, listener = open) =>
		call(
			path,
			'OPTIONS',
			{
				origin,
				'access-control-request-method': method,
				'access-control-request-headers': 'authorization,content-type,mcp-param-where,cookie',
			},
			listener,
		)

	it('get preflight responses without a credential, with the methods and headers that they may send', async () => {
		const answer = await preflight('/v1/agents/1', 'PATCH')
		expect(answer.status).toBe(204)
		expect(Object.fromEntries(answer.headers)).toMatchObject({
			'access-control-allow-origin': friend,
			'access-control-allow-methods': expect.stringContaining('PATCH'),
			'access-control-allow-headers': 'authorization, content-type, mcp-param-where',
			vary: 'Origin, Access-Control-Request-Headers',
		})
		expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
		expect((await preflight('/mcp', 'POST')).status).toBe(204)
		expect((await preflight('/oauth/token', 'POST')).status).toBe(204)
	})

	it('send telemetry, with the headers of OpenTelemetry for browsers', async () => {
		const headers = {
			...{ origin: friend, 'access-control-request-method': 'POST' },
			'access-control-request-headers': 'authorization,content-encoding,content-type',
		}
		const answer = await call('/v1/traces', 'OPTIONS', headers)
		expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([
			...[204, 'authorization, content-encoding, content-type'],
		])
		const refused = await call('/v1/traces', 'POST', { origin: friend })
		expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, friend])
	})

	it('can read responses, refusals, and the headers that programs need', async () => {
		const answer = await call('/v1/agents/1', 'GET', { origin: friend })
		expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, friend])
		const exposed = answer.headers.get('access-control-expose-headers')?.split(', ')
		expect(exposed).toEqual(
			expect.arrayContaining(['ETag', 'RateLimit', 'RateLimit-Policy', 'X-Request-Id', 'Mcp-Session-Id']),
		)
		expect(answer.headers.get('vary')).toBe('Origin')
		expect((await call('/mcp', 'POST', { origin: friend })).status).toBe(401)
	})

	it('get no CORS headers if the operator did not list them; Vary tells caches that the response depends on the origin', async () => {
		const answer = await call('/v1/agents/1', 'GET', { origin: foe })
		expect(answer.headers.has('access-control-allow-origin')).toBe(false)
		expect(answer.headers.get('vary')).toBe('Origin')
		expect((await preflight('/v1/agents/1', 'PATCH', foe)).status).toBe(405)
		expect((await preflight('/mcp', 'POST', foe)).headers.has('access-control-allow-origin')).toBe(false)
		for (const origin of ['https://app.example.evil.example', 'http://app.example', `${friend}:444`, 'null'])
			expect(
				(await preflight('/v1/agents/1', 'PATCH', origin)).headers.has('access-control-allow-origin'),
			).toBe(false)
	})

	it.each([
		['GET', '/ui/index'],
		['GET', '/oauth/authorize'],
		['POST', '/proxy/openai/v1'],
		['GET', '/nowhere'],
		['DELETE', '/v1/agents/1'],
	])('never reach %s %s', async (method, path) => {
		expect((await preflight(path, method)).headers.has('access-control-allow-origin')).toBe(false)
	})

	it('send nothing and learn nothing while no origin is listed', async () => {
		const answer = await preflight('/v1/agents/1', 'PATCH', friend, closed)
		expect(answer.status).toBe(405)
		expect([...answer.headers.keys()].filter((name) => /^access-control|^vary/.test(name))).toEqual([])
	})
})

it('serves every loopback address, and no name that begins like one', async () => {
	const listener = await serve([])
	const statusFor = (host: string) =>
		new Promise<number | undefined>((resolve, reject) => {
			const options = { port: listener.port, host: '127.0.0.1', path: '/oauth/authorize', headers: { host } }
			get(options, (response) => resolve(response.resume().statusCode)).on('error', reject)
		})
	const hosts = [
		'127.0.0.1',
		'127.0.0.9:80',
		'[::1]',
		'localhost',
		'127.0.0.9.evil.example',
		'127.evil',
		'10.0.0.1',
	]
	const found = await Promise.all(hosts.map(statusFor))
	expect(found.map((status) => status === 400)).toEqual([false, false, false, false, true, true, true])
	await listener.close(0)
})
