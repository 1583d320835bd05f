import { describe, expect, it } from 'vitest'
import { newWireClient, until } from './testing-client.ts'
import { useCallStage } from './testing-stage.ts'
import { sendEvents, sendText } from './testing-upstream.ts'

const stage = useCallStage()
const grantPath = () => `/v1/mcp/servers/${stage.serverId}/access/${stage.agent.id}`
const limit = (change: object) => stage.gateway.manage('PATCH', grantPath(), change)
const soon = (ms: number) => new Date(Date.now() + ms).toISOString()
const listed = async () => (await stage.client.request('tools/list')).body.result.tools.length
const call = (values: object) => stage.client.request('tools/call', { name: 'run', arguments: values })
const runs = () => {
	stage.answer = ({ id }, response) => sendText(response, id, 'ran')
}
let groups = 0
/** Grants `run` through a toolset, to a new group to which the agent is added. */
const giveByToolset = async (tools = ['run']) => {
	groups += 1
	const group = `group-${groups}`
	const toolset = await stage.gateway.manage('POST', '/v1/toolsets', {
		name: group,
		groups: [group],
		tools: [{ server_id: stage.serverId, tools }],
	})
	await stage.gateway.manage('PATCH', `/v1/agents/${stage.agent.id}`, { groups: [group] })
	return toolset.id as string
}

/** Collects everything that is sent on the session's stream. */
async function openStream() {
	const abort = new AbortController()
	const headers = {
		authorization: `Bearer ${stage.agent.key}`,
		'mcp-session-id': stage.client.session,
		accept: 'text/event-stream',
	}
	const stream = await fetch(`${stage.gateway.url}/mcp/tools`, { headers, signal: abort.signal })
	const heard = { text: '', close: () => abort.abort() }
	void (async () => {
		for await (const chunk of stream.body as AsyncIterable<Uint8Array>) heard.text += Buffer.from(chunk)
	})().catch(() => {})
	return heard
}
const changed = 'notifications/tools/list_changed'

describe('a grant that expires', () => {
	it('cuts a running call, hides the tool and notifies the client, within a second', async () => {
		stage.answer = () => {}
		const stream = await openStream()
		// A busy machine needs more than a second until the tool is listed.
		const endsAtMs = Date.now() + 2500
		await limit({ expires_at: new Date(endsAtMs).toISOString() })
		expect(await listed()).toBe(1)
		const { body } = await stage.call()
		expect(Date.now() - endsAtMs).toBeGreaterThanOrEqual(0)
		expect(Date.now() - endsAtMs).toBeLessThan(10_000)
		expect(body.error).toMatchObject({ data: { code: 'call_cut', reason: 'grant_expired', tool: 'run' } })
		expect(stage.lastRow()).toMatchObject({ status: 'cut' })
		expect((await stage.client.request('tools/list')).body.error ?? (await listed())).not.toBe(1)
		await until(() => stream.text.includes(changed), 10_000)
		stream.close()
	})

	it('cuts a call at its server while its modern client is being asked', async () => {
		stage.answer = (_message, response) =>
			sendEvents(response, {
				id: 'asked',
				method: 'elicitation/create',
				params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
			})
		const early = stage.upstream.closedEarly
		await limit({ expires_at: soon(1000) })
		const client = newWireClient(`${stage.gateway.url}/mcp/tools`, stage.agent.key)
		const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
		const { body } = await client.modern('tools/call', { name: 'run' }, {}, meta)
		expect(body.result.resultType).toBe('input_required')
		await until(() => stage.upstream.closedEarly > early, 10_000)
	})

	it('removes nothing that a toolset grants too', async () => {
		runs()
		await giveByToolset()
		const stream = await openStream()
		await limit({ expires_at: soon(200) })
		await new Promise((resolve) => setTimeout(resolve, 1400))
		expect(await listed()).toBe(1)
		expect((await stage.call()).body.result).toBeDefined()
		expect(stream.text).not.toContain(changed)
		stream.close()
	})
})

describe('a tool granted by a toolset', () => {
	const ways: Record<string, (toolsetId: string) => Promise<unknown>> = {
		'the toolset is deleted': (id) => stage.gateway.manage('DELETE', `/v1/toolsets/${id}`),
		'the tool is taken out of it': (id) =>
			stage.gateway.manage('PATCH', `/v1/toolsets/${id}`, {
				tools: [{ server_id: stage.serverId, tools: ['other'] }],
			}),
		'the group is taken out of it': (id) =>
			stage.gateway.manage('PATCH', `/v1/toolsets/${id}`, { groups: [] }),
		'the agent leaves the group': () =>
			stage.gateway.manage('PATCH', `/v1/agents/${stage.agent.id}`, { groups: [] }),
		'a disabled grant made by hand denies it': () =>
			stage.gateway.manage('POST', `/v1/mcp/servers/${stage.serverId}/access`, {
				agent_uuid: stage.agent.id,
				enabled: false,
			}),
	}
	it.each(Object.keys(ways))('is cut during a call when %s', async (way) => {
		const toolsetId = await giveByToolset()
		await stage.gateway.manage('DELETE', grantPath())
		stage.answer = () => {}
		const stream = await openStream()
		const before = stage.upstream.calls().length
		const running = stage.call()
		await until(() => stage.upstream.calls().length > before, 10_000)
		const startedMs = performance.now()
		await ways[way]?.(toolsetId)
		const { body } = await running
		expect(performance.now() - startedMs).toBeLessThan(5000)
		expect(body.error.data.code).toBe('call_cut')
		expect(stage.lastRow()).toMatchObject({ status: 'cut' })
		await until(() => stream.text.includes(changed), 10_000)
		stream.close()
	})
})

describe('a constraint on arguments', () => {
	const constraints = {
		run: {
			type: 'object',
			properties: { path: { type: 'string', pattern: '^/data/' } },
			required: ['path'],
			additionalProperties: false,
		},
	}
	it.each(['/mcp/tools', '/mcp'])('lets only what satisfies it reach the server, on %s', async (path) => {
		runs()
		await limit({ constraints })
		const client = newWireClient(stage.gateway.url + path, stage.agent.key)
		const name = path === '/mcp' ? 'tools__run' : 'run'
		const before = stage.upstream.calls().length
		const send = async (values: unknown) =>
			(await client.modern('tools/call', { name, ...(values !== undefined && { arguments: values }) })).body
		expect((await send({ path: '/data/x' })).result).toBeDefined()
		expect(stage.upstream.calls()).toHaveLength(before + 1)
		for (const values of [undefined, {}, { path: '/etc' }, { path: '/data/x', more: 1 }, { path: 7 }]) {
			const { error } = await send(values)
			expect(error).toMatchObject({ data: { code: 'arguments_refused', reason: 'arguments_refused' } })
			expect(error.message).toContain('may not send these arguments')
		}
		expect(stage.upstream.calls()).toHaveLength(before + 1)
		expect(stage.lastRow()).toMatchObject({ status: 'denied', errorType: 'arguments_refused' })
		expect((await client.modern('tools/list')).body.result.tools).toHaveLength(1)
	})

	it('applies to an argument whose name is written with escapes', async () => {
		runs()
		await limit({ constraints: { run: { properties: { env: { const: 'test' } } } } })
		const send = (text: string) =>
			stage.client.post(
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":${text}}}`,
			)
		// Node then knows a key that begins like the source of the next one, and took it for that.
		for (let times = 0; times < 3; times += 1) await send('{"first of two":1,"\\\\u0":1}')
		const { body } = await send('{"first of two":1,"\\u0065nv":"production"}')
		expect(body.error.data.code).toBe('arguments_refused')
	})

	it.each([
		['{"maximum":5}', ['4', '4.0', '5e0', '-0'], ['6', '6.0', '60e-1', '99999999999999999999', '1e400']],
		['{"type":"number","maximum":5}', ['4.0'], ['6.0', '"4"']],
		['{"type":"integer"}', ['5', '5.0'], ['5.5', '55e-1']],
		['{"enum":[1,2]}', ['1', '1.0', '20e-1'], ['3.0', '12']],
	])('applies to numbers however they are written: %s', async (schema, good, bad) => {
		runs()
		await limit({ constraints: { run: { properties: { count: JSON.parse(schema) } } } })
		const send = async (text: string) => {
			const values = `{"name":"run","arguments":{"count":${text}}}`
			return (await stage.client.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${values}}`))
				.body
		}
		for (const text of good) expect([text, (await send(text)).error]).toEqual([text, undefined])
		for (const text of bad)
			expect([text, (await send(text)).error?.data.code]).toEqual([text, 'arguments_refused'])
	})

	it('cuts a running call that a narrower version no longer allows', async () => {
		stage.answer = () => {}
		const before = stage.upstream.calls().length
		const running = call({ path: '/etc' })
		await until(() => stage.upstream.calls().length > before, 10_000)
		await limit({ constraints })
		expect((await running).body.error.data).toMatchObject({ reason: 'arguments_refused' })
	})

	it('applies to its own grant only: one without it allows more', async () => {
		runs()
		await limit({ constraints })
		expect((await call({ path: '/etc' })).body.error).toBeDefined()
		await giveByToolset()
		expect((await call({ path: '/etc' })).body.result).toBeDefined()
	})
})

describe('a tool that needs approval', () => {
	it('is listed, and its calls wait for a person', async () => {
		runs()
		await limit({ approval: { run: 'ask' }, approval_wait_ms: 0 })
		const before = stage.upstream.calls().length
		expect(await listed()).toBe(1)
		const { error } = (await stage.call()).body
		expect(error).toMatchObject({ data: { code: 'approval_pending', tool: 'run' } })
		expect(error.message).toContain('waits for the approval of a person')
		expect(stage.upstream.calls()).toHaveLength(before)
		await limit({ approval: {} })
		expect((await stage.call()).body.result).toBeDefined()
	})
})

describe("a grant that denies tools by their server's hints", () => {
	it('hides the tool and refuses calls with the reason, until the grant lets it pass', async () => {
		runs()
		expect((await stage.call()).body.result).toBeDefined()
		await limit({ denied_hints: ['destructiveHint'] })
		expect(await listed()).toBe(0)
		const { error } = (await stage.call()).body
		expect(error).toMatchObject({ data: { code: 'denied_by_hint', tool: 'run' } })
		expect(error.message).toContain('it may destroy, as far as is known')
		const { effective } = await stage.gateway.manage('GET', `/v1/agents/${stage.agent.id}/access`)
		expect(effective[0].tools[0]).toMatchObject({ name: 'run', allowed: false, reason: 'denied_by_hint' })
		await limit({ denied_hints: [] })
		expect((await stage.call()).body.result).toBeDefined()
	})
})
