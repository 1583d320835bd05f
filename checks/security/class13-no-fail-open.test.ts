import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { decideAccess } from '../../server/src/access/grants/index.ts'
import { Problem } from '../../server/src/platform/errors.ts'
import { createIngress, type IngressOptions } from '../../server/src/platform/http/ingress.ts'
import { type Listener, listen } from '../../server/src/platform/http/listener.ts'
import { LiveRequests } from '../../server/src/platform/http/live-requests.ts'
import { refuseWithProblem } from '../../server/src/platform/http/refusals.ts'
import { silentLog } from '../../server/src/platform/log.ts'
import { bearer, send } from './attack.ts'
import { useVictim } from './victim.ts'

const viewer = {
	kind: 'user',
	userId: 'u',
	email: 'u@example.org',
	workspaceId: 'w',
	role: 'viewer',
	operator: false,
	sessionId: 's',
} as const
const thrown: [string, () => never][] = [
	[
		'an error',
		() => {
			throw new Error('bug')
		},
	],
	[
		'nothing',
		() => {
			throw undefined
		},
	],
	[
		'a text',
		() => {
			throw 'text'
		},
	],
	[
		'a problem',
		() => {
			throw new Problem('store_unavailable')
		},
	],
	[
		'an object that looks like a success',
		() => {
			throw { status: 200, statusCode: 200 }
		},
	],
]

describe('an exception before the handler', () => {
	let listener: Listener
	let handled = 0
	let broken: Partial<IngressOptions> = {}
	const refusals = {
		api: refuseWithProblem,
		page: refuseWithProblem,
		mcp: refuseWithProblem,
		model: refuseWithProblem,
		otlp: refuseWithProblem,
	}

	beforeAll(async () => {
		const routes = (['api', 'mcp', 'model', 'otlp'] as const).map((family) => ({
			id: family,
			method: 'GET',
			path: `/${family}`,
			access: { kinds: ['user' as const], roleScope: 'access:write' as const },
			family,
			handle: (_request: unknown, response: { end(): void }) => {
				handled += 1
				response.end()
			},
		}))
		const build = () =>
			createIngress({
				routes: routes as never,
				authenticate: () => viewer,
				refusals,
				checkOrigin: () => null,
				onDenied: () => {},
				liveRequests: new LiveRequests(),
				log: silentLog,
				...broken,
			})
		listener = await listen('127.0.0.1', 0, (request, response) => build()(request, response))
	})
	beforeEach(() => {
		handled = 0
	})
	afterAll(() => listener.close(0))

	const hooks: Record<string, (fail: () => never) => Partial<IngressOptions>> = {
		'the check of Host and Origin': (fail) => ({ checkOrigin: fail }),
		'the check of the credential': (fail) => ({ authenticate: fail }),
		'the check of the credential, asynchronously': (fail) => ({ authenticate: async () => fail() }),
		'the record of the denial': (fail) => ({ onDenied: fail }),
		'the record of the denial, asynchronously': (fail) => ({ onDenied: async () => fail() }),
		'the address of the client': (fail) => ({ clientAddressOf: fail }),
		'the rate limit': (fail) => ({ limiter: { count: fail, countFailure: fail } as never }),
		'the evaluation of the load': (fail) => ({ overload: { evaluate: fail } as never }),
	}

	it.each(Object.keys(hooks))('%s: the request is refused', async (hook) => {
		for (const [what, fail] of thrown) {
			broken = hooks[hook]?.(fail) ?? {}
			for (const family of ['api', 'mcp', 'model', 'otlp']) {
				const { status } = await send(`/${family}`, { url: `http://127.0.0.1:${listener.port}` })
				expect(status, `${hook} throws ${what}`).toBeGreaterThanOrEqual(400)
			}
		}
		expect(handled).toBe(0)
	})
})

describe('the access kernel', () => {
	it('denies if anything in its query throws or is missing', () => {
		const bomb = new Proxy(
			{},
			{
				get: () => {
					throw new Error('bug')
				},
			},
		)
		const query = { agent: bomb, server: bomb, grants: [bomb], tool: 'x', nowMs: 0 }
		for (const part of ['agent', 'server', 'grants'] as const)
			expect(decideAccess({ ...query, [part]: bomb } as never).allowed).toBe(false)
		for (const part of ['agent', 'server', 'grants', 'tool', 'nowMs'] as const)
			expect(decideAccess({ ...query, [part]: undefined } as never).allowed).toBe(false)
	})
})

// LiteLLM forwarded a token when its own check failed (CVE-2026-59822).
describe('a credential of another service', () => {
	const victim = useVictim()
	it('is refused and not forwarded', async () => {
		victim.upstream.received.length = 0
		for (const credential of [
			'ya29.a-token-of-google',
			'gho_16C7e42F292c6912E7710c838347Ae178B4a',
			'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2F0dGFja2VyLmV4YW1wbGUifQ.AAAA',
			'sk-proj-openai',
		])
			for (const headers of [
				bearer(credential),
				{ 'x-api-key': credential },
				{ ...bearer(credential), 'x-mcp-oauth2': credential },
			]) {
				const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read' } }
				for (const path of [`/mcp/${victim.slug}`, '/mcp', `/mcp-key/${victim.slug}`])
					expect((await send(path, { headers, body })).status).toBe(401)
				expect((await send('/proxy/openai/v1/models', { headers })).status).toBe(401)
			}
		expect(victim.upstream.received).toEqual([])
	})
})
