import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ScriptedUpstream, startScriptedUpstream } from '../../server/src/gateway/testing-upstream.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { modernHeaders, modernMeta, post } from './echo-client.ts'

const dataDir = newDataDir()
const limit = 64 * 1024
let program: Program
let upstream: ScriptedUpstream
let key: string

beforeAll(async () => {
	upstream = await startScriptedUpstream([{ name: 'hang', inputSchema: {} }], () => {})
	const limits = ['API', 'MCP', 'MODEL'].map((part) => [`SIGNALBOX_${part}_MAX_BODY_BYTES`, String(limit)])
	// This test is about limits, not load, so overload protection is off.
	const settings = { SIGNALBOX_MCP_CALL_MS: '1000', SIGNALBOX_OVERLOAD_LAG_MS: '0' }
	program = await startProgram(dataDir, { ...Object.fromEntries(limits), ...settings })
	const { api } = program
	const { id } = await api<{ id: string }>('POST', '/v1/agents', { name: 'Rosa' }, 201)
	key = (await api<{ key: string }>('POST', `/v1/agents/${id}/keys`, { name: 'k' }, 201)).key
	const made = { name: 'Slow', url: upstream.url }
	const server = await api<{ id: string }>('POST', '/v1/mcp/servers', made, 201)
	const connection = {
		name: 'far',
		provider: 'openai_compatible',
		key: 'sk-of-nobody',
		base_url: new URL(upstream.url).origin,
	}
	await api('POST', '/v1/provider-keys', connection, 201)
	await api('POST', `/v1/mcp/servers/${server.id}/access`, { agent_uuid: id, access_mode: 'all' }, 201)
})
afterAll(async () => {
	await program?.kill('SIGTERM')
	await upstream?.close()
	removeDataDir(dataDir)
})

const endpoints = {
	'/v1/agents': () => program.token,
	'/mcp': () => key,
	'/proxy/far/v1/chat/completions': () => key,
}
it.each(Object.keys(endpoints) as (keyof typeof endpoints)[])(
	'%s refuses a body larger than the configured limit',
	async (path) => {
		const send = async (bytes: number) => {
			const empty = JSON.stringify({ text: '' }).length
			const body = JSON.stringify({ text: 'x'.repeat(bytes - empty) })
			const headers = { authorization: `Bearer ${endpoints[path]()}`, 'content-type': 'application/json' }
			const answer = await fetch(program.url + path, { method: 'POST', headers, body })
			return { status: answer.status, text: await answer.text() }
		}
		expect((await send(limit)).status).not.toBe(413)
		const { status, text } = await send(limit + 1)
		expect([status, text]).toEqual([413, expect.stringContaining(String(limit))])
	},
)

it('a call to an MCP server ends after the configured timeout', async () => {
	const startedMs = performance.now()
	const call = { id: 1, method: 'tools/call', params: { name: 'slow__hang', _meta: modernMeta } }
	const { messages } = await post(`${program.url}/mcp`, key, call, modernHeaders('tools/call', 'slow__hang'))
	expect(messages[0].error.data.code).toBe('timeout')
	expect(performance.now() - startedMs).toBeLessThan(10_000)
})
