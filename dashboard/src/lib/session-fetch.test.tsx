import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError, api, unwrap } from '../api.ts'
import { serverNowMs } from './clock.ts'
import { whenSignedOut } from './session-fetch.ts'

const problem = {
	type: '/docs/errors#unauthenticated',
	title: 'No',
	status: 401,
	detail: 'No.',
	code: 'unauthenticated',
	request_id: 'r-1',
}
const answer = (status: number, body: unknown) =>
	new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })

let sent: Request[] = []
const signedOut = vi.fn()

/** Answers each request by its path; the last answer of a path is repeated. */
function serve(answers: Record<string, (() => Response)[]>): void {
	vi.stubGlobal('fetch', async (request: Request) => {
		sent.push(request)
		const queue = answers[new URL(request.url).pathname] ?? []
		const next = queue.length > 1 ? queue.shift() : queue[0]
		if (!next) throw new TypeError('Failed to fetch')
		return next()
	})
}

const paths = () => sent.map(({ url, method }) => `${method} ${new URL(url).pathname}`)

beforeEach(() => {
	sent = []
	signedOut.mockReset()
	whenSignedOut(signedOut)
})
afterEach(() => vi.unstubAllGlobals())

test("every request has the dashboard's header", async () => {
	serve({ '/auth/me': [() => answer(200, {})] })
	await unwrap(api.GET('/auth/me'))
	expect(sent[0]?.headers.get('x-signalbox-dashboard')).toBe('1')
})

test('the time is that of the server, whatever the clock of the computer shows', async () => {
	const dated = (date: string) => () =>
		new Response('{}', { headers: { 'content-type': 'application/json', date } })
	const at = (ms: number) => new Date(Date.now() + ms).toUTCString()
	const aheadMs = async (date: string) => {
		serve({ '/auth/me': [dated(date)] })
		await unwrap(api.GET('/auth/me'))
		return serverNowMs() - Date.now()
	}
	expect(Math.abs((await aheadMs(at(3_600_000))) - 3_600_000)).toBeLessThan(2000)
	expect(Math.abs((await aheadMs(at(-86_400_000))) + 86_400_000)).toBeLessThan(2000)
	expect(await aheadMs(at(1000))).toBe(0)
	await aheadMs(at(3_600_000))
	expect(Math.abs((await aheadMs('')) - 3_600_000)).toBeLessThan(2000)
	await aheadMs(at(0))
})

test('a 401 renews the session once and repeats the request, including its body', async () => {
	serve({
		'/v1/agents': [() => answer(401, problem), () => answer(201, { uuid: 'a' })],
		'/auth/refresh': [() => answer(200, {})],
	})
	const agent = await unwrap(api.POST('/v1/agents', { body: { name: 'x' } }))
	expect(agent.uuid).toBe('a')
	expect(paths()).toEqual(['POST /v1/agents', 'POST /auth/refresh', 'POST /v1/agents'])
	expect(await sent[2]?.json()).toEqual({ name: 'x' })
	expect(signedOut).not.toHaveBeenCalled()
})

test('concurrent requests with an expired token share one renewal', async () => {
	const me = [() => answer(401, problem), () => answer(401, problem), () => answer(200, {})]
	serve({ '/auth/me': me, '/auth/refresh': [() => answer(200, {})] })
	await Promise.all([unwrap(api.GET('/auth/me')), unwrap(api.GET('/auth/me'))])
	expect(paths().filter((path) => path === 'POST /auth/refresh')).toHaveLength(1)
})

test('a session that cannot be renewed leads to the sign-in, with the reason', async () => {
	serve({ '/auth/me': [() => answer(401, problem)], '/auth/refresh': [() => answer(401, problem)] })
	await expect(unwrap(api.GET('/auth/me'))).rejects.toMatchObject({ status: 401, requestId: 'r-1' })
	expect(signedOut).toHaveBeenCalledOnce()
})

test.each([
	['is too busy', [() => answer(503, { ...problem, status: 503, code: 'overloaded' })], 503],
	['limits requests', [() => answer(429, { ...problem, status: 429, code: 'rate_limited' })], 429],
	['does not answer', [], 0],
])('a session is kept while the server %s, and the caller learns why', async (_, refresh, status) => {
	serve({ '/auth/me': [() => answer(401, problem)], '/auth/refresh': refresh })
	await expect(unwrap(api.GET('/auth/me'))).rejects.toMatchObject({ status })
	expect(signedOut).not.toHaveBeenCalled()
})

test('a wrong password does not end the session', async () => {
	serve({ '/auth/login': [() => answer(401, { ...problem, code: 'wrong_credentials' })] })
	const login = unwrap(api.POST('/auth/login', { body: { email: 'a@b', password: 'x' } }))
	await expect(login).rejects.toMatchObject({ code: 'wrong_credentials' })
	expect(paths()).toEqual(['POST /auth/login'])
	expect(signedOut).not.toHaveBeenCalled()
})

test('a server that does not answer is reported as such', async () => {
	serve({})
	const error = await unwrap(api.GET('/auth/me')).catch((thrown: unknown) => thrown)
	expect(error).toBeInstanceOf(ApiError)
	expect((error as ApiError).title).toBe('Signalbox does not answer')
})

test.each([502, 503, 504])(
	'a %i of a proxy in front means that the server does not answer',
	async (status) => {
		serve({ '/auth/me': [() => new Response('<h1>Bad Gateway</h1>', { status })] })
		await expect(unwrap(api.GET('/auth/me'))).rejects.toMatchObject({ status: 0, code: 'unreachable' })
		serve({ '/auth/me': [() => answer(status, { ...problem, status, code: 'overloaded' })] })
		await expect(unwrap(api.GET('/auth/me'))).rejects.toMatchObject({ status, code: 'overloaded' })
	},
)
