import type { ChildProcess } from 'node:child_process'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../../server/src/program/program.testing.ts'
import { instrumentClient } from './instrument.ts'
import type { Handle } from './options.ts'
import { addressOf, type HostCase, startHost } from './testing/run-host.ts'

interface StoredSpan {
	name: string
	source: string
	service_name: string
	span_id: string
	parent_span_id: string | null
}

const dataDir = newDataDir()
const hosts: ChildProcess[] = []
let program: Program
let token: string

beforeAll(async () => {
	program = await startProgram(dataDir)
	token = (await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)).token
})

afterAll(async () => {
	for (const host of hosts) host.kill('SIGKILL')
	await program?.kill('SIGTERM')
	removeDataDir(dataDir)
})

it.each(['before', 'register'] as const)(
	'a call through the gateway is one trace with the views of its client, the gateway and the server (%s)',
	async (observed) => {
		const url = await serve(observed)
		const { client, handle } = await connectTo(url, observed)
		await client.callTool({ name: 'echo', arguments: { text: 'hi' } })
		await handle.shutdown()
		await client.close()
		await expect
			.poll(() => storedViews(`caller-${observed}`), { timeout: 30_000, interval: 250 })
			.toEqual([`otlp caller-${observed}`, 'gateway', `otlp server-${observed}`])
	},
)

async function serve(observed: HostCase['observed']): Promise<string> {
	const options = { endpoint: program.url, token, serviceName: `server-${observed}` }
	const host = startHost({ sdk: 'v2', transport: 'http', observed, options })
	hosts.push(host)
	return `${await addressOf(host)}/mcp`
}

/** An observed client of an agent that may use everything of the server. */
async function connectTo(url: string, name: string): Promise<{ client: Client; handle: Handle }> {
	const server = await program.api<{ id: string }>('POST', '/v1/mcp/servers', { name, url }, 201)
	const agent = await program.api<{ id: string }>('POST', '/v1/agents', { name: `Rosa ${name}` }, 201)
	const grant = { agent_uuid: agent.id, access_mode: 'all' }
	await program.api('POST', `/v1/mcp/servers/${server.id}/access`, grant, 201)
	const keys = `/v1/agents/${agent.id}/keys`
	const { key } = await program.api<{ key: string }>('POST', keys, { name: 'k' }, 201)
	const client = new Client({ name: 'tester', version: '9' })
	const handle = instrumentClient(client, { endpoint: program.url, token, serviceName: `caller-${name}` })
	const requestInit = { headers: { authorization: `Bearer ${key}` } }
	// The class declares that its session may be undefined, which the strictest compiler options refuse.
	await client.connect(
		new StreamableHTTPClientTransport(new URL(`${program.url}/mcp/${name}`), { requestInit }) as never,
	)
	return { client, handle }
}

/** The spans of the call, each a child of the previous one. */
async function storedViews(caller: string): Promise<string[]> {
	const { spans } = await program.api<{ spans: StoredSpan[] }>(
		'GET',
		'/v1/telemetry/spans?start=-1h&limit=1000',
	)
	const calls = spans.filter(({ name }) => name.includes('echo'))
	const views: string[] = []
	let span = calls.find(({ service_name, parent_span_id }) => service_name === caller && !parent_span_id)
	while (span) {
		views.push(span.source === 'otlp' ? `otlp ${span.service_name}` : span.source)
		const { span_id } = span
		span = calls.find(({ parent_span_id }) => parent_span_id === span_id)
	}
	return views
}
