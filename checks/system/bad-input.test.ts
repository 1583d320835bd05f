import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import openapi from '../../docs/openapi.json' with { type: 'json' }
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { type Endpoint, endpoints, strangeIds, strangeQueries } from './bad-input-endpoints.ts'
import { type Chance, createChance, damageBytes, mutateBody } from './mutate.ts'

const cases = process.env.LONG_TESTS ? 150_000 : 3_000
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

describe(`bad input on every entry point, ${cases} cases (FUZZ_SEED=${seed})`, () => {
	const dataDir = newDataDir()
	let program: Program
	let pool: Pool
	let credentials: Record<Endpoint['credential'], string>

	beforeAll(async () => {
		// This test is about input, not load. With overload protection, a busy machine would answer 503 without reading the request.
		program = await startProgram(dataDir, { SIGNALBOX_OVERLOAD_LAG_MS: '0' })
		pool = new Pool(program.url, { connections: 16, headersTimeout: 60_000 })
		const agent = await program.api<{ uuid: string }>('POST', '/v1/agents', { name: 'Fuzz' }, 201)
		const { key } = await program.api<{ key: string }>(
			'POST',
			`/v1/agents/${agent.uuid}/keys`,
			{ name: 'k' },
			201,
		)
		const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
		const connection = {
			name: 'openai',
			provider: 'openai',
			key: 'sk-fuzz',
			base_url: 'http://127.0.0.1:9/v1',
		}
		await program.api('POST', '/v1/provider-keys', connection, 201)
		credentials = { owner: program.token, agent: key, ingest: token, none: '' }
	})
	afterAll(async () => {
		await pool?.close()
		await program?.kill('SIGTERM')
		removeDataDir(dataDir)
	})

	it('gets a clear response with a status below 500, and the program keeps running', async () => {
		const counts = new Map<number, number>()
		const wrong: string[] = []
		let next = 0
		const worker = async () => {
			while (next < cases && wrong.length < 20) {
				const index = next++
				const made = makeCase(createChance(seed + index))
				const { statusCode, text } = await send(pool, credentials, made)
				counts.set(statusCode, (counts.get(statusCode) ?? 0) + 1)
				if (statusCode >= 500)
					wrong.push(
						`case ${index}: ${made.endpoint.method} ${made.path} → ${statusCode} ${text.slice(0, 200)} for ${made.bytes?.subarray(0, 200)}`,
					)
				else if (statusCode >= 400 && !isClear(text))
					wrong.push(
						`case ${index}: ${made.endpoint.method} ${made.path} → ${statusCode} without a reason: ${text.slice(0, 200)}`,
					)
			}
		}
		await Promise.all(Array.from({ length: 16 }, worker))
		console.log(
			[...counts]
				.sort(([a], [b]) => a - b)
				.map(([status, count]) => `${status}: ${count}`)
				.join(', '),
		)
		expect(wrong).toEqual([])
		expect((await fetch(`${program.url}/readyz`)).status).toBe(200)
	}, 600_000)

	// Code that walks a deeply nested value could overflow the stack, so the depth is limited before the value is built.
	it('refuses a body that is nested too deeply, at every operation and every other entry point that takes a body', async () => {
		const deep = `{"x":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
		const paths = Object.entries(openapi.paths).flatMap(([path, methods]) =>
			Object.entries(methods as Record<string, { requestBody?: unknown; security?: object[] }>)
				.filter(([, { requestBody }]) => requestBody !== undefined)
				.map(([method, { security = [] }]) => ({
					method: method.toUpperCase(),
					path,
					credential: security.every((way) => 'ingest_token' in way)
						? ('ingest' as const)
						: ('owner' as const),
				})),
		)
		expect(paths.length).toBeGreaterThan(80)
		const open = ['/auth/login', '/auth/register', '/auth/refresh', '/auth/setup', '/auth/verify']
		const wrong: string[] = []
		for (const { method, path, credential, headers = {} } of [
			...paths,
			...open.map((path) => ({ method: 'POST', path, credential: 'none' as const })),
			...endpoints.filter(({ body }) => body !== null),
			{ method: 'POST', path: '/mcp/platform', credential: 'owner' as const },
			{ method: 'POST', path: '/oauth/register', credential: 'none' as const },
		] as Pick<Endpoint, 'method' | 'path' | 'credential' | 'headers'>[]) {
			const model = path.startsWith('/proxy/')
			const answer = await send(pool, credentials, {
				endpoint: { method, path, credential, body: null },
				path: path.replaceAll(/\{\w+\}/g, '0192f0c1-2d3e-7a4b-8c5d-6e7f80910213'),
				bytes: Buffer.from(deep),
				headers: {
					'content-type': 'application/json',
					accept: 'application/json, text/event-stream',
					...headers,
				},
			})
			// A model call may be forwarded, since Signalbox does not depend on its body. The provider is unreachable, hence the 502.
			const refused =
				answer.statusCode >= 400 && (answer.statusCode < 500 || (model && answer.statusCode === 502))
			const isExplained = model || /levels|larger than the limit/.test(answer.text)
			if (!refused || !isExplained)
				wrong.push(`${method} ${path}: ${answer.statusCode} ${answer.text.slice(0, 100)}`)
		}
		expect(wrong).toEqual([])
	})

	// HTTP clients in many languages send a content type even when the request has no body.
	it('reports an empty body where one is required, and accepts it where none is required', async () => {
		const all = Object.entries(openapi.paths).flatMap(([path, methods]) =>
			Object.entries(methods as Record<string, { requestBody?: { required?: boolean }; security?: object[] }>)
				.filter(([method]) => method !== 'get')
				.map(([method, { requestBody, security = [] }]) => ({
					method: method.toUpperCase(),
					path,
					isNeeded: requestBody?.required === true,
					credential: security.every((way) => 'ingest_token' in way)
						? ('ingest' as const)
						: ('owner' as const),
				})),
		)
		const needed = all.filter(({ isNeeded }) => isNeeded)
		// Only paths with an id: it does not exist, so the request changes nothing.
		const notNeeded = all.filter(({ isNeeded, path }) => !isNeeded && path.includes('{'))
		expect([needed.length > 60, notNeeded.length > 40]).toEqual([true, true])
		const wrong: string[] = []
		const tryOne = async (
			endpoint: Pick<Endpoint, 'method' | 'path' | 'credential' | 'headers'>,
			isNeeded: boolean,
		) => {
			const { statusCode, text } = await send(pool, credentials, {
				endpoint: { ...endpoint, body: null },
				path: endpoint.path.replaceAll(/\{\w+\}/g, '0192f0c1-2d3e-7a4b-8c5d-6e7f80910213'),
				bytes: Buffer.alloc(0),
				headers: {
					'content-type': 'application/json',
					accept: 'application/json, text/event-stream',
					...endpoint.headers,
				},
			})
			const isRight = isNeeded ? statusCode === 400 && /is empty/.test(text) : !/is empty|body/.test(text)
			if (!isRight) wrong.push(`${endpoint.method} ${endpoint.path}: ${statusCode} ${text.slice(0, 200)}`)
		}
		for (const endpoint of needed) await tryOne(endpoint, true)
		for (const endpoint of notNeeded) await tryOne(endpoint, false)
		const others = endpoints.filter(({ path }) => /^\/(mcp|v1\/traces)/.test(path))
		for (const endpoint of others) await tryOne(endpoint, true)
		expect(wrong).toEqual([])
	})

	it.each([
		['/v1/agents', 'owner', 'application/json', 1],
		['/v1/traces', 'ingest', 'application/json', 64],
		['/mcp', 'agent', 'application/json', 8],
		['/proxy/openai/v1/chat/completions', 'agent', 'application/json', 32],
	] as const)('refuses a body over the limit of %s', async (path, credential, type, limitMiB) => {
		const body = Buffer.alloc((limitMiB + 1) * 1024 * 1024, 0x20)
		const response = await fetch(program.url + path, {
			method: 'POST',
			body,
			headers: { authorization: `Bearer ${credentials[credential]}`, 'content-type': type },
		}).catch(() => null)
		// The program may cut the connection while the rest of the body still arrives.
		if (response) expect(response.status).toBe(413)
		expect((await fetch(`${program.url}/livez`)).status).toBe(200)
	})

	it('refuses a gzip bomb', async () => {
		const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024))
		const response = await fetch(`${program.url}/v1/traces`, {
			method: 'POST',
			body: bomb,
			headers: {
				authorization: `Bearer ${credentials.ingest}`,
				'content-type': 'application/json',
				'content-encoding': 'gzip',
			},
		})
		expect(response.status).toBe(413)
	})
})

interface Case {
	endpoint: Endpoint
	path: string
	bytes: Buffer | null
	headers: Record<string, string>
}

function makeCase(chance: Chance): Case {
	const endpoint = chance.pick(endpoints)
	const path =
		endpoint.path.replace('{id}', chance.pick(strangeIds)) +
		(chance.below(4) === 0 || endpoint.method === 'GET' ? chance.pick(strangeQueries) : '')
	if (endpoint.body === null) return { endpoint, path, bytes: null, headers: {} }
	const plain = mutateBody(chance, endpoint.body)
	const packed = endpoint.credential === 'ingest' && chance.below(3) === 0
	const bytes = packed ? damageBytes(chance, gzipSync(plain)) : plain
	const type =
		chance.below(20) === 0
			? chance.pick([
					'text/plain',
					'application/x-protobuf',
					'application/json; charset=utf-16',
					'multipart/form-data',
					'',
				])
			: 'application/json'
	return {
		endpoint,
		path,
		bytes,
		headers: {
			'content-type': type,
			accept: 'application/json, text/event-stream',
			...(packed && { 'content-encoding': 'gzip' }),
			...endpoint.headers,
		},
	}
}

async function send(
	pool: Pool,
	credentials: Record<string, string>,
	{ endpoint, path, bytes, headers }: Case,
): Promise<{ statusCode: number; text: string }> {
	const credential = credentials[endpoint.credential]
	const response = await pool.request({
		method: endpoint.method as 'POST',
		path,
		headers: { ...(credential && { authorization: `Bearer ${credential}` }), ...headers },
		...(bytes && { body: bytes }),
	})
	return { statusCode: response.statusCode, text: await response.body.text() }
}

/** Whether an error response states a reason in the format of its protocol: a problem, a JSON-RPC or provider error, or a status. */
function isClear(text: string): boolean {
	if (text === '') return false
	if (!text.startsWith('{')) return text.length > 4
	const body = JSON.parse(text) as { detail?: string; message?: string; error?: { message?: string } }
	return Boolean(body.detail || body.message || body.error?.message)
}
