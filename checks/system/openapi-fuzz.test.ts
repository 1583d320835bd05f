import { type Operation, operationGroups, problems, scopes, toOpenApi } from '@signalbox/contract'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../server/src/config/config.ts'
import { createAnswerCheck } from '../../server/src/platform/http/check-answer.testing.ts'
import { silentLog } from '../../server/src/platform/log.ts'
import {
	call,
	fillNewDataDir,
	newDataDir,
	owner,
	removeDataDir,
} from '../../server/src/program/program.testing.ts'
import { type Running, run } from '../../server/src/program/run.ts'
import type { Known, Schema } from './arbitrary-of-schema.ts'
import { casesOf, type FuzzCase } from './openapi-cases.ts'

const count = Number(process.env.FUZZ_CASES ?? (process.env.LONG_TESTS ? 300 : 6))
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
const concurrency = 8
const document = toOpenApi(operationGroups, { version: '1', serverUrl: 'http://box.test' })
const operations = Object.values(operationGroups).flatMap((group) => Object.values(group))
/** These operations end the caller's session, so each of them uses a session of its own. */
const endsCaller = (id: string) => /^auth\.(logout$|sessions\.)/.test(id)
/** These operations change the instance or slow down sign-in for everyone. */
const changesInstance = (id: string) =>
	/^(limits\.replace|settings\.update|instance\.|auth\.password\.change)/.test(id)

describe(`the API against its OpenAPI document, ${count} cases an operation (FUZZ_SEED=${seed})`, () => {
	const dataDir = newDataDir()
	const checkAnswer = createAnswerCheck(document)
	const prototypeBefore = Object.getOwnPropertyNames(Object.prototype)
	let running: Running
	let pool: Pool
	let bearers: { owner: string; key: string }
	let components: Known['components']
	let valuesFor: ValuesFor

	beforeAll(async () => {
		await fillNewDataDir(dataDir)
		running = await run(readConfig(settingsFor(dataDir)), silentLog)
		pool = new Pool(running.address, { connections: concurrency, headersTimeout: 30_000 })
		bearers = { owner: await login(), key: '' }
		const made = await makeObjects(running.address, bearers.owner)
		bearers.key = made.key
		components = document.components.schemas as Record<string, Schema>
		valuesFor = made.valuesFor
	})
	const seen = new Map<number, number>()
	const neverDone: string[] = []
	afterAll(async () => {
		const counts = [...seen].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`)
		console.log(`${counts.join(', ')}; never succeeded: ${neverDone.join(', ') || 'none'}`)
		await pool?.close()
		await running?.stop()
		removeDataDir(dataDir)
	})

	const login = async () =>
		(await call<{ token: string }>(running.address, 'POST', '/auth/login', owner, 200, '')).token

	const send = async (made: FuzzCase, bearer: string): Promise<{ status: number; text: string }> => {
		const { method } = made.operation
		const { statusCode, headers, body } = await pool.request({
			method,
			path: made.path,
			headers: {
				'x-forwarded-for': anyAddress(),
				...made.headers,
				...(bearer && { authorization: `Bearer ${bearer}` }),
			},
			...(made.body !== null && { body: made.body }),
		})
		const text = await body.text()
		const contentType = String(headers['content-type'] ?? '')
		checkAnswer({ method, path: made.path, status: statusCode, contentType, text })
		return { status: statusCode, text }
	}

	const check = ({ operation, path }: FuzzCase, { status, text }: { status: number; text: string }) => {
		const own = (operation.problems ?? []).map((code) => problems[code].status as number)
		if (status === 500 || (status > 500 && !own.includes(status)))
			throw new Error(`${path} → ${status}: ${text}`)
		if (/\n\s+at |node_modules|\.ts:\d/.test(text)) throw new Error(`${path} → a stack trace: ${text}`)
	}

	/** An earlier operation may have ended all sessions of the owner. */
	const renewOwner = async () => {
		const headers = { authorization: `Bearer ${bearers.owner}` }
		if ((await fetch(`${running.address}/auth/me`, { headers })).status !== 200) bearers.owner = await login()
	}

	const fuzz = async (operation: Operation): Promise<Map<number, number>> => {
		const known = { components, valuesFor: (name: string) => valuesFor(name, operation) }
		const cases = casesOf(document, operation, known, { count, seed })
		const statuses = new Map<number, number>()
		const worker = async (_none: unknown, offset: number) => {
			let own = endsCaller(operation.id) ? await login() : null
			for (let index = offset; index < cases.length; index += concurrency) {
				const made = cases[index] as FuzzCase
				const bearer = own ?? (index % 4 < 2 ? bearers.owner : bearers.key)
				const answer = await send(made, bearer)
				check(made, answer)
				statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
				if (own && hasEnded(answer)) own = await login()
			}
		}
		await Promise.all(Array.from({ length: concurrency }, worker))
		return statuses
	}

	// Operations that need new sign-ins run first, because failed sign-ins delay later ones. Deletions run late, so that other operations
	// still find objects. The exception is `demo.delete`, which runs with the others, so that the demo is not filled for nothing.
	const rank = ({ id, method }: Operation) =>
		endsCaller(id) ? 0 : changesInstance(id) ? 3 : method === 'DELETE' && id !== 'demo.delete' ? 2 : 1
	const inOrder = operations.toSorted((a, b) => rank(a) - rank(b))
	it.each(inOrder.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
		await renewOwner()
		const statuses = await fuzz(operation)
		for (const [status, times] of statuses) seen.set(status, (seen.get(status) ?? 0) + times)
		if (![...statuses.keys()].some((status) => status < 400)) neverDone.push(operation.id)
		expect([...statuses.values()].reduce((sum, one) => sum + one, 0)).toBe(count)
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototypeBefore)
		expect((await fetch(`${running.address}/livez`)).status).toBe(200)
	})
})

function hasEnded({ status, text }: { status: number; text: string }): boolean {
	return status < 300 || /"code":"(unauthenticated|session_ended)"/.test(text)
}

/** A random client address. Failed sign-ins from a single address would delay the sign-ins of the next operation. */
function anyAddress(): string {
	return `198.51.100.${Math.floor(Math.random() * 256)}`
}

function settingsFor(dataDir: string): Record<string, string> {
	return {
		SIGNALBOX_PORT: '0',
		SIGNALBOX_OTLP_HTTP_PORT: '0',
		SIGNALBOX_OTLP_GRPC_PORT: '0',
		SIGNALBOX_DATA_DIR: dataDir,
		SIGNALBOX_INIT_ADMIN_EMAIL: owner.email,
		SIGNALBOX_INIT_ADMIN_PASSWORD: owner.password,
		SIGNALBOX_RATE_LIMITS: 'api=off,anonymous=off',
		SIGNALBOX_OVERLOAD_LAG_MS: '0',
		SIGNALBOX_TRUSTED_PROXIES: '127.0.0.0/8',
	}
}

/** Returns realistic values for a parameter or field of an operation. */
type ValuesFor = (name: string, operation: Operation) => readonly string[]

/** Creates a key with every scope, and objects of each kind that the requests can address. */
async function makeObjects(url: string, token: string): Promise<{ key: string; valuesFor: ValuesFor }> {
	const create = <T = { id: string }>(path: string, body: object) =>
		call<T>(url, 'POST', path, body, 201, token)
	const { workspace } = await call<{ workspace: { id: string } }>(
		url,
		'GET',
		'/auth/me',
		undefined,
		200,
		token,
	)
	const bodies: Record<string, (index: number) => object> = {
		'/v1/agents': (index) => ({ name: `Fuzz ${index}` }),
		'/v1/mcp/servers': (index) => ({ name: `Fuzz ${index}`, url: addresses[0], transport_type: 'http' }),
		'/v1/keys': (index) => ({ name: `Fuzz ${index}` }),
		'/v1/ingest-tokens': (index) => ({ name: `Fuzz ${index}` }),
		'/v1/toolsets': (index) => ({ name: `Fuzz ${index}`, tools: [], groups: [] }),
		'/v1/webhooks': () => ({ url: 'http://127.0.0.1:2/', events: ['agents.*'] }),
		'/v1/provider-keys': (index) => ({
			name: `fuzz${index}`,
			provider: 'openai',
			key: 'sk-fuzz',
			base_url: 'http://127.0.0.1:9/v1',
		}),
	}
	const ids: Record<string, string[]> = { '/v1/workspaces': [workspace.id] }
	for (const [path, body] of Object.entries(bodies)) {
		const made = Array.from({ length: 10 }, async (_, index) => (await create(path, body(index))).id)
		ids[path] = await Promise.all(made)
	}
	const { key } = await create<{ key: string }>('/v1/keys', { name: 'Every scope', scopes: [...scopes] })
	return { key, valuesFor: (name, operation) => valuesOf(ids, name, operation) }
}

const addresses = ['http://127.0.0.1:9/mcp', 'http://127.0.0.1:9/v1', 'http://169.254.169.254/', 'ftp://x']

function valuesOf(ids: Record<string, string[]>, name: string, { id, path }: Operation): readonly string[] {
	if (/(^|_)url$/.test(name)) return addresses
	if (name === 'start' || name === 'end') return ['-24h', '-5m', '2026-01-01T00:00:00Z']
	if (/^agent/i.test(name)) return ids['/v1/agents'] ?? []
	if (name === 'server_id') return ids['/v1/mcp/servers'] ?? []
	// The workspace of the test run must not be deleted.
	if (name !== 'id' || id === 'workspaces.delete') return []
	return Object.entries(ids).find(([prefix]) => path.startsWith(`${prefix}/`))?.[1] ?? []
}
