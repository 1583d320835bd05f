import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { type Answer, bearer, send } from './attack.ts'

const keys = [
	'__proto__',
	'__proto__.polluted',
	'__proto__[polluted]',
	'constructor',
	'constructor.prototype',
	'constructor.prototype.polluted',
	'constructor[prototype][polluted]',
	'prototype',
	'a.__proto__.polluted',
	'a.constructor.prototype.polluted',
	'toString',
	'hasOwnProperty',
	'gen_ai.usage.__proto__',
	'gen_ai.prompt.0.__proto__.polluted',
	'llm.input_messages.0.message.__proto__.polluted',
	'llm.input_messages.__proto__.message.polluted',
	'llm.input_messages.constructor.prototype.polluted',
	'langfuse.trace.metadata.__proto__.polluted',
	'langfuse.observation.metadata.constructor.prototype.polluted',
	'metadata.__proto__',
	'resource.__proto__',
	'length',
]

const nodeFlags = ['--import', new URL('prototype-canary.mjs', import.meta.url).href]

// The key of an OTel attribute caused prototype pollution in the worker of Langfuse 3.167.4. langsmith and lodash checked for
// `__proto__` but not for `constructor.prototype` (CVE-2026-40190, CVE-2025-13465).
describe('a name that other software reads as a path into objects', () => {
	const dataDir = newDataDir()
	let program: Program
	let ingest: string
	beforeAll(async () => {
		program = await startProgram(dataDir, { SIGNALBOX_OVERLOAD_LAG_MS: '0' }, { nodeFlags })
		const made = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
		ingest = made.token
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		removeDataDir(dataDir)
	})
	const ask = (path: string, attack: Parameters<typeof send>[1] = {}): Promise<Answer> =>
		send(path, { url: program.url, headers: bearer(program.token), ...attack })

	it('is stored as a plain name in telemetry', async () => {
		const values = (value: string) => [
			{ stringValue: value },
			{ kvlistValue: { values: keys.map((key) => ({ key, value: { stringValue: value } })) } },
		]
		for (const [index, value] of values('polluted').entries()) {
			const attributes = keys.map((key) => ({ key, value }))
			const now = BigInt(Date.now()) * 1_000_000n
			const span = {
				traceId: `${index}`.padStart(32, 'a'),
				spanId: `${index}`.padStart(16, 'b'),
				name: '__proto__',
				kind: 1,
				startTimeUnixNano: String(now),
				endTimeUnixNano: String(now),
				attributes,
				events: [{ name: '__proto__', timeUnixNano: String(now), attributes }],
			}
			const body = {
				resourceSpans: [
					{
						resource: { attributes },
						scopeSpans: [{ scope: { name: '__proto__', attributes }, spans: [span] }],
					},
				],
			}
			expect((await ask('/v1/traces', { headers: bearer(ingest), body })).status).toBe(200)
		}
		for (let attempt = 0; attempt < 50; attempt += 1) {
			const { status } = await ask(`/v1/telemetry/traces/${'0'.padStart(32, 'a')}`)
			if (status === 200) break
			await new Promise((resolve) => setTimeout(resolve, 100))
		}
		const trace = await ask(`/v1/telemetry/traces/${'0'.padStart(32, 'a')}`)
		expect(trace.status).toBe(200)
		for (const path of ['/v1/spotlight/overview', '/v1/spotlight/timeseries', '/v1/telemetry/spans'])
			expect((await ask(path)).status).toBe(200)
	})

	it('is refused or stored as a plain name by the API', async () => {
		for (const key of ['__proto__', 'constructor', 'prototype']) {
			const inner = `{"${key}":{"prototype":{"polluted":true},"polluted":true}}`
			for (const [path, body] of [
				['/v1/agents', `{"name":"x","${key}":{"polluted":true}}`],
				['/v1/mcp/servers', `{"name":"x","url":"http://127.0.0.1:9/","configuration":${inner}}`],
				['/v1/mcp/servers', `{"name":"x","url":"http://127.0.0.1:9/","headers":{"${key}":"x"}}`],
				['/auth/login', `{"email":"a@b.example","password":"x","${key}":{"polluted":true}}`],
			] as const)
				expect((await ask(path, { body })).status).toBeLessThan(500)
			for (const path of [
				`/v1/agents/${key}`,
				`/v1/agents?${key}=1`,
				`/v1/agents?a[${key}]=1`,
				`/proxy/${key}/v1/models`,
				`/mcp/${key}`,
				`/auth/oauth/${key}/start`,
			])
				expect((await ask(path)).status).toBeLessThan(500)
		}
	})

	it('is refused in JSON-RPC', async () => {
		const { uuid } = await program.api<{ uuid: string }>('POST', '/v1/agents', { name: 'rpc' }, 201)
		const { key } = await program.api<{ key: string }>('POST', `/v1/agents/${uuid}/keys`, { name: 'k' }, 201)
		for (const name of ['__proto__', '\\u005f_proto__'])
			expect(
				(
					await ask('/mcp', {
						headers: bearer(key),
						body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"${name}":{"polluted":true}}}`,
					})
				).status,
			).toBe(400)
	})

	it('has not changed a shared prototype, in a program that runs without __proto__', async () => {
		await new Promise((resolve) => setTimeout(resolve, 100))
		expect(program.log.join('')).toContain('objects have no __proto__')
		expect(program.log.join('')).not.toContain('gained')
		expect((await ask('/livez')).status).toBe(200)
		expect((await ask('/v1/agents')).text).not.toContain('polluted')
	})
})
