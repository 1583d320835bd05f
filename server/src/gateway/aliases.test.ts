import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../platform/database/testing.ts'
import { openTestGatewayOn, type TestAgent, type TestGateway } from './testing.ts'
import { newWireClient, until } from './testing-client.ts'
import { type ScriptedUpstream, sendText, startScriptedUpstream } from './testing-upstream.ts'

const tools = [
	{ name: 'search_issues_and_pull_requests', inputSchema: {} },
	{ name: 'run', inputSchema: {} },
]

describeWithStore('names that a workspace chooses for the aggregate', (store) => {
	let gateway: TestGateway
	let upstream: ScriptedUpstream
	let agent: TestAgent
	let serverId: string
	let otherId: string
	let isHeld = false
	const held: (() => void)[] = []

	beforeAll(async () => {
		gateway = await openTestGatewayOn(store())
		upstream = await startScriptedUpstream(tools, ({ id, params }, response) => {
			const answer = () => sendText(response, id, `${params.name} ran`)
			if (isHeld) held.push(answer)
			else answer()
		})
		agent = await gateway.addAgent('Rosa')
		serverId = await gateway.addServer('The code forge', upstream.url)
		otherId = await gateway.addServer('Other', upstream.url)
		await gateway.grant(agent.id, serverId, ['search_issues_and_pull_requests', 'run'])
	})
	afterAll(async () => {
		await gateway?.close()
		await upstream?.close()
	})

	const change = (body: object, id = serverId) =>
		gateway.request('PATCH', `/v1/mcp/servers/${id}`, { token: gateway.owner.token, body })
	const client = () => newWireClient(`${gateway.url}/mcp`, agent.key)
	const listed = async () =>
		(await client().modern('tools/list')).body.result.tools.map(({ name }: { name: string }) => name)
	const call = async (name: string) =>
		(await client().modern('tools/call', { name, arguments: {} })).body.result?.content[0].text

	it('are listed and can be called; the usual names still work, and the real name is recorded', async () => {
		const tool_aliases = { search_issues_and_pull_requests: 'find_issues' }
		const changed = await change({ tool_prefix: 'Forge', tool_aliases })
		expect(changed.body).toMatchObject({ tool_prefix: 'Forge', tool_aliases, slug: 'the-code-forge' })
		expect(await listed()).toEqual(['find_issues', 'Forge__run'])
		const names = [
			'find_issues',
			'Forge__search_issues_and_pull_requests',
			'Forge__run',
			'the-code-forge__run',
		]
		const answers = await Promise.all(names.map(call))
		expect(answers).toEqual([
			'search_issues_and_pull_requests ran',
			'search_issues_and_pull_requests ran',
			'run ran',
			'run ran',
		])
		expect(
			new Set(gateway.rows.filter((row) => row.kind === 'tool_call').map((row) => row.toolName)),
		).toEqual(new Set(['search_issues_and_pull_requests', 'run']))
		const own = await newWireClient(`${gateway.url}/mcp/the-code-forge`, agent.key).modern('tools/list')
		expect(own.body.result.tools.map(({ name }: { name: string }) => name)).toEqual(
			tools.map(({ name }) => name),
		)
	})

	it('give no access to a tool that is not granted', async () => {
		await change({ tool_aliases: { run: 'go' } })
		const stranger = await gateway.addAgent('Stranger')
		const asked = newWireClient(`${gateway.url}/mcp`, stranger.key)
		const [aliased, invented] = await Promise.all(
			['go', 'no_such'].map((name) => asked.modern('tools/call', { name, arguments: {} })),
		)
		expect(aliased?.body.error.data.code).toBe('tool_not_granted')
		expect(aliased?.text.replaceAll('go', 'no_such')).toBe(invented?.text.replaceAll('go', 'no_such'))
		expect(await call('go')).toBe('run ran')
		expect(await call('find_issues')).toBeUndefined()
	})

	it('can be changed while calls run, which go on as the tools that they are', async () => {
		await change({ tool_aliases: { run: 'go' } })
		isHeld = true
		const running = call('go')
		await until(() => held.length === 1, 10_000)
		await change({ tool_aliases: { search_issues_and_pull_requests: 'go' } })
		isHeld = false
		expect(await call('go')).toBe('search_issues_and_pull_requests ran')
		for (const answer of held) answer()
		expect(await running).toBe('run ran')
	})

	it('must differ from the names of other servers and of the gateway itself', async () => {
		await change({ tool_prefix: 'forge', tool_aliases: { run: 'go' } })
		const refused = async (body: object, id = otherId) => {
			const { status, body: problem } = await change(body, id)
			return { status, code: problem.code, detail: problem.detail }
		}
		const taken = { status: 409, code: 'name_taken' }
		expect(await refused({ tool_aliases: { run: 'go' } })).toEqual({
			...taken,
			detail: 'The alias go of run is the name of the tool run of The code forge already.',
		})
		expect(await refused({ tool_aliases: { run: 'twice', other: 'twice' } })).toMatchObject(taken)
		expect(await refused({ tool_aliases: { run: 'read_more' } })).toMatchObject(taken)
		for (const tool_prefix of ['forge', 'the-code-forge'])
			expect(await refused({ tool_prefix })).toMatchObject(taken)
		expect((await change({ tool_aliases: { run: 'two__parts' } })).status).toBe(400)
		expect((await change({ tool_aliases: { run: 'x'.repeat(65) } })).status).toBe(400)
		expect((await change({ tool_prefix: 'a__b' })).status).toBe(400)
		const made = await gateway.manage('POST', '/v1/mcp/servers', { name: 'Forge', url: upstream.url })
		expect(made.slug).toBe('forge-2')
		const both = await Promise.all([
			change({ tool_aliases: { run: 'raced' } }),
			change({ tool_aliases: { run: 'raced' } }, otherId),
		])
		expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
	})

	it('tell connected clients when they change, and can be removed', async () => {
		await change({ tool_prefix: null, tool_aliases: {} }, otherId)
		const listening = client()
		await listening.initialize()
		const ending = new AbortController()
		const stream = await fetch(`${gateway.url}/mcp`, {
			headers: {
				authorization: `Bearer ${agent.key}`,
				accept: 'text/event-stream',
				'mcp-session-id': listening.session,
			},
			signal: ending.signal,
		})
		let heard = ''
		const done = (async () => {
			for await (const chunk of stream.body ?? []) heard += Buffer.from(chunk).toString()
		})().catch(() => {})
		await change({ tool_prefix: 'renamed', tool_aliases: {} })
		await until(() => heard.includes('notifications/tools/list_changed'), 10_000)
		ending.abort()
		await done
		await change({ tool_prefix: null })
		expect(await listed()).toEqual(['the-code-forge__search_issues_and_pull_requests', 'the-code-forge__run'])
	})
})
