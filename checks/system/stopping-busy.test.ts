import { afterAll, expect, it } from 'vitest'
import { newWireClient, until } from '../../server/src/gateway/testing-client.ts'
import { sendEvents, startScriptedUpstream } from '../../server/src/gateway/testing-upstream.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { testingProgram } from '../../server/src/servers/programs/testing.ts'
import { startFixture } from '../fixtures/start-fixture.ts'

const dataDir = newDataDir()
const closing: (() => unknown)[] = [() => removeDataDir(dataDir)]
afterAll(async () => {
	for (const close of closing.reverse()) await close()
})

/** Starts an MCP server that never completes a call or a stream. */
async function startHoldingServer() {
	const upstream = await startScriptedUpstream(
		[{ name: 'slow', inputSchema: { type: 'object' } }],
		(message, response) =>
			sendEvents(response, { method: 'notifications/message', params: { level: 'info', data: message.id } }),
	)
	closing.push(() => upstream.close())
	return upstream
}

interface Stage {
	program: Program
	agentId: string
	key: string
}

async function addServer({ program, agentId }: Stage, body: object, grant: object = {}): Promise<string> {
	const { id, slug } = await program.api<{ id: string; slug: string }>('POST', '/v1/mcp/servers', body, 201)
	if ('command' in body) await acceptWithoutSandbox(program, id)
	const access = { agent_uuid: agentId, access_mode: 'all', ...grant }
	await program.api('POST', `/v1/mcp/servers/${id}/access`, access, 201)
	return slug
}

async function acceptWithoutSandbox({ api }: Program, id: string): Promise<void> {
	const path = `/v1/mcp/servers/${id}/program`
	const { acceptance_sentence: sentence } = await api<{ acceptance_sentence: string }>('GET', path)
	await api('POST', `${path}/acceptance`, { sentence })
}

/** Opens a stream and reads it until it ends or fails. */
function hold(url: string, init: RequestInit): void {
	fetch(url, init)
		.then((answer) => answer.text())
		.catch(() => {})
}

const eventStream = { accept: 'text/event-stream' }
const answers = {
	...eventStream,
	'content-type': 'application/json',
	accept: 'application/json, text/event-stream',
}

/** Opens a session that supports elicitation, its GET stream, and a call that never completes. */
async function holdSession(url: string, key: string, call: object): Promise<void> {
	const client = newWireClient(url, key)
	const hello = await client.request('initialize', {
		protocolVersion: '2025-11-25',
		capabilities: { elicitation: {} },
		clientInfo: { name: 'held', version: '1' },
	})
	const authorization = `Bearer ${key}`
	const session = hello.headers.get('mcp-session-id') ?? ''
	hold(url, { headers: { ...eventStream, authorization, 'mcp-session-id': session } })
	const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: call })
	hold(url, { method: 'POST', headers: { ...answers, authorization, 'mcp-session-id': session }, body })
}

function listen(url: string, key: string): void {
	const client = newWireClient(url, key)
	client.modern('subscriptions/listen', { notifications: { toolsListChanged: true } }).catch(() => {})
}

it('the program stops cleanly within its grace period while sessions, streams, approvals and calls of every kind are open', async () => {
	const [legacy, modern] = await Promise.all([startFixture('legacy'), startFixture('modern')])
	closing.push(
		() => legacy.close(),
		() => modern.close(),
	)
	const holding = await startHoldingServer()
	const program = await startProgram(dataDir, { SIGNALBOX_STOP_GRACE_SECONDS: '1' })
	const { id: agentId } = await program.api<{ id: string }>('POST', '/v1/agents', { name: 'Rosa' }, 201)
	const { key } = await program.api<{ key: string }>('POST', `/v1/agents/${agentId}/keys`, { name: 'k' }, 201)
	const { workspace } = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
	await program.api('PATCH', `/v1/workspaces/${workspace.id}/rights`, { stdio: true })
	const stage = { program, agentId, key }
	const slugs = {
		legacy: await addServer(stage, { name: 'Legacy', url: legacy.url }),
		modern: await addServer(stage, { name: 'Modern', url: modern.url }),
		holding: await addServer(stage, { name: 'Holding', url: holding.url }),
		asking: await addServer(
			stage,
			{ name: 'Asking', url: `${holding.url}?asking` },
			{ approval: { slow: 'ask' } },
		),
		hosted: await addServer(stage, { name: 'Hosted', command: 'node', args: [testingProgram] }),
	}
	const at = (slug: string) => `${program.url}/mcp/${slug}`
	await holdSession(at(slugs.legacy), key, { name: 'test_elicitation', arguments: { message: 'Who?' } })
	await holdSession(at(slugs.modern), key, { name: 'test_elicitation', arguments: { message: 'Who?' } })
	await holdSession(at(slugs.holding), key, { name: 'slow', arguments: {} })
	await holdSession(at(slugs.asking), key, { name: 'slow', arguments: {} })
	await holdSession(at(slugs.hosted), key, { name: 'hang', arguments: {} })
	for (const slug of Object.values(slugs)) listen(at(slug), key)
	await holdSession(`${program.url}/mcp`, key, { name: 'holding__slow', arguments: {} })
	listen(`${program.url}/mcp`, key)
	await until(() => holding.calls().length >= 2, 10_000)
	await until(async () => {
		const { approvals } = await program.api<{ approvals: unknown[] }>('GET', '/v1/approvals?status=pending')
		return approvals.length === 1
	}, 10_000)

	const startedAt = performance.now()
	const ended = program.kill('SIGTERM')
	await expect(Promise.race([ended, late(12_000)])).resolves.toEqual({ code: 0, signal: null })
	expect(performance.now() - startedAt).toBeLessThan(12_000)
	expect(program.log.join('')).not.toContain('did not end in order')
	expect(program.log.join('')).toContain('"msg":"stopped"')
}, 60_000)

function late(ms: number): Promise<string> {
	return new Promise((resolve) => setTimeout(() => resolve('still alive'), ms))
}
