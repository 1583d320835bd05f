import { randomFillSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
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
const mib = 1024 * 1024
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
					credential: security.every((way) => 'workspace_ingest_token' in way)
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
					credential: security.every((way) => 'workspace_ingest_token' in way)
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

	// Before the tests of large bodies: memory that these have freed could hide a growth.
	it.each([
		['of zeros', 0],
		// Less than the ratio at which a body is refused early, so it is inflated up to the limit of its size.
		['that is compressed less than 200 times', 512],
	])('refuses a gzip bomb %s, and its memory grows by less than the bomb', async (_, randomBytesPer64KiB) => {
		const block = Buffer.alloc(4 * mib)
		for (let at = 0; at < block.length; at += 64 * 1024) randomFillSync(block, at, randomBytesPer64KiB)
		const bomb = Buffer.concat(Array.from<Buffer>({ length: 150 }).fill(gzipSync(block)))
		const beforeMiB = startPeak(program.pid)
		const response = await fetch(`${program.url}/v1/traces`, {
			method: 'POST',
			body: bomb,
			headers: {
				authorization: `Bearer ${credentials.ingest}`,
				'content-type': 'application/json',
				'content-encoding': 'gzip',
			},
		})
		const grownMiB = peakMiB(program.pid) - beforeMiB
		console.log(
			`a gzip bomb of 600 MiB as ${(bomb.length / mib).toFixed(1)} MiB: memory grew by ${grownMiB.toFixed(0)} MiB`,
		)
		expect(response.status).toBe(413)
		expect(grownMiB).toBeLessThan(128)
	})

	it.each([
		['/v1/agents', 'owner', 'application/json', 1],
		['/v1/traces', 'ingest', 'application/json', 64],
		['/mcp', 'agent', 'application/json', 8],
		['/proxy/openai/v1/chat/completions', 'agent', 'application/json', 32],
	] as const)('refuses a body over the limit of %s', async (path, credential, type, limitMiB) => {
		const head = `authorization: Bearer ${credentials[credential]}\r\ncontent-type: ${type}`
		const target = new URL(path, program.url)
		const bytes = (limitMiB + 1) * mib
		// The first is refused by its announced length, the second by counting what arrives.
		expect(await statusOfLargeBody(target, `${head}\r\ncontent-length: ${bytes}`, bytes)).toBe(413)
		expect(await statusOfLargeBody(target, `${head}\r\ntransfer-encoding: chunked`, bytes)).toBe(413)
		expect((await fetch(`${program.url}/livez`)).status).toBe(200)
	})
})

/**
 * Posts a body of spaces and stops as soon as a response arrives. Resolves with its status, also if the program closes the
 * connection before the body has ended; rejects if it closes it without a response. `fetch` reports either as the same error.
 */
function statusOfLargeBody(target: URL, head: string, bytes: number): Promise<number> {
	const chunk = Buffer.alloc(64 * 1024, 0x20)
	const isChunked = head.endsWith('chunked')
	return new Promise((resolve, reject) => {
		let text = ''
		let left = bytes
		const socket = connect(Number(target.port), target.hostname)
		const send = () => {
			while (left > 0 && text === '' && !socket.destroyed) {
				left -= chunk.length
				const framed = isChunked
					? Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')])
					: chunk
				if (!socket.write(framed)) return
			}
			if (left <= 0 && isChunked) socket.write('0\r\n\r\n')
		}
		socket.on('drain', send)
		socket.on('data', (data) => {
			text += data.toString('latin1')
			const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]
			if (!status) return
			resolve(Number(status))
			socket.destroy()
		})
		// A failed write may precede the response in the socket's buffer, so only the end of the connection decides.
		socket.on('error', () => undefined)
		socket.on('close', () => reject(new Error(`${target.pathname} closed the connection without a response`)))
		socket.write(`POST ${target.pathname} HTTP/1.1\r\nhost: ${target.host}\r\n${head}\r\n\r\n`)
		send()
	})
}

/** Starts a new measurement of the process's peak memory and returns what it uses now, in MiB. */
function startPeak(pid: number): number {
	writeFileSync(`/proc/${pid}/clear_refs`, '5')
	return peakMiB(pid)
}

/** The largest amount of memory that the process has used since `startPeak`, in MiB. */
function peakMiB(pid: number): number {
	return Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/)?.[1]) / 1024
}

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
