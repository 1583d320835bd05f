import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { manualClock } from '../../platform/clock.ts'
import { createSealer } from '../../platform/crypto/seal.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import type { Caller } from '../operation.ts'
import { openTestGatewayOn, type TestAgent, type TestGateway } from '../testing.ts'
import { newWireClient, type WireAnswer } from '../testing-client.ts'
import { type ScriptedUpstream, sendJson, startScriptedUpstream } from '../testing-upstream.ts'
import { KeptResults } from './kept-results.ts'

const limit = 4096
const whole = Array.from({ length: 1000 }, (_, at) => `line ${at}`).join('\n')
const outputSchema = { type: 'object' }
const tools = [
	{ name: 'run', inputSchema: {}, outputSchema },
	{ name: 'other', inputSchema: {} },
]
const hourMs = 60 * 60_000

describeWithStore('a server with a limit on results', (store) => {
	let first: TestGateway
	let second: TestGateway
	let upstream: ScriptedUpstream
	let agent: TestAgent
	let serverId: string
	let result: object

	beforeAll(async () => {
		const masterKey = randomBytes(32)
		first = await openTestGatewayOn(store(), {}, undefined, { masterKey })
		second = await openTestGatewayOn(store(), {}, undefined, { masterKey, withoutOwner: true })
		upstream = await startScriptedUpstream(tools, ({ id }, response) =>
			sendJson(response, 200, { jsonrpc: '2.0', id, result }),
		)
		serverId = await first.addServer('Tools', upstream.url)
	})
	afterAll(async () => {
		await second?.close()
		await first?.close()
		await upstream?.close()
	})
	beforeEach(async () => {
		result = { content: [{ type: 'text', text: whole }] }
		agent = await first.addAgent(`Rosa ${randomBytes(4).toString('hex')}`)
		await first.grant(agent.id, serverId, null)
		await setLimit(limit)
	})

	const setLimit = async (max_result_bytes: number | null) => {
		await first.manage('PATCH', `/v1/mcp/servers/${serverId}`, { max_result_bytes })
		await second.feed.catchUp()
	}
	const clientAt = (gateway: TestGateway, path = '/mcp', key = agent.key) =>
		newWireClient(`${gateway.url}${path}`, key)
	const call = (name: string, values = {}, gateway = first, path = '/mcp', key = agent.key) =>
		clientAt(gateway, path, key).modern('tools/call', { name, arguments: values })
	const textsIn = ({ body }: WireAnswer): string[] =>
		body.result.content.map(({ text }: { text: string }) => text)
	const referenceIn = (answer: WireAnswer) =>
		/"reference":"([^"]+)"/.exec(textsIn(answer).at(-1) ?? '')?.[1] ?? ''

	it('returns a long result piece by piece, from whichever process is asked, and loses nothing', async () => {
		let answer = await call('tools__run')
		let read = ''
		for (let piece = 0; ; piece += 1) {
			const reference = referenceIn(answer)
			const texts = textsIn(answer)
			read += texts[0]
			expect(Buffer.byteLength(texts[0] ?? '')).toBeLessThanOrEqual(limit)
			if (!reference) break
			const left = Buffer.byteLength(whole) - Buffer.byteLength(read)
			expect(texts[1]).toContain(`[${left} more bytes of this result follow: call read_more with `)
			answer = await call('read_more', { reference }, piece % 2 === 0 ? second : first)
		}
		expect(read).toBe(whole)
		expect(answer.body.result).toEqual({
			content: [{ type: 'text', text: expect.any(String) }],
			resultType: 'complete',
		})
		expect(first.rows.find((row) => row.toolName === 'run')?.attributes.get('signalbox.result.bytes')).toBe(
			BigInt(Buffer.byteLength(whole)),
		)
	})

	it('also serves clients of the legacy era and the endpoint of the server', async () => {
		const client = clientAt(first, '/mcp/tools')
		await client.initialize()
		const answer = await client.request('tools/call', { name: 'run', arguments: {} })
		const more = await client.request('tools/call', {
			name: 'read_more',
			arguments: { reference: referenceIn(answer) },
		})
		expect(more.body.result).not.toHaveProperty('resultType')
		expect(whole.startsWith(`${textsIn(answer)[0]}${textsIn(more)[0]}`)).toBe(true)
	})

	it('keeps errors as errors, and short results unchanged', async () => {
		result = { content: [{ type: 'text', text: whole }], isError: true }
		expect((await call('tools__run')).body.result.isError).toBe(true)
		result = {
			content: [{ type: 'text', text: 'short' }],
			structuredContent: { big: 12345678901234567890n.toString() },
		}
		expect((await call('tools__run')).body.result).toEqual({ ...result, resultType: 'complete' })
	})

	it('lists read_more, and promises no structured content, while there is a limit', async () => {
		const list = async (path: string) =>
			(await clientAt(first, path).modern('tools/list')).body.result.tools as Record<string, unknown>[]
		expect((await list('/mcp')).map(({ name }) => name)).toEqual(['read_more', 'tools__run', 'tools__other'])
		expect((await list('/mcp/tools')).find(({ name }) => name === 'run')).not.toHaveProperty('outputSchema')
		await setLimit(null)
		expect(await list('/mcp/tools')).toMatchObject([{ name: 'run', outputSchema }, { name: 'other' }])
		expect(textsIn(await call('tools__run'))).toEqual([whole])
	})

	it('can be read only by its agent, and only while that has the tool', async () => {
		const reference = referenceIn(await call('tools__run'))
		const stranger = await first.addAgent(`Stranger ${randomBytes(4).toString('hex')}`)
		await first.grant(stranger.id, serverId, null)
		const refused = { error: { code: -32602, data: { code: 'result_not_kept' } } }
		expect((await call('read_more', { reference }, first, '/mcp', stranger.key)).body).toMatchObject(refused)
		expect((await call('read_more', { reference: reference.replace(/.$/, '_') })).body).toMatchObject(refused)
		expect((await call('read_more', { reference: reference.replace('.0.', '.99.') })).body).toMatchObject(
			refused,
		)
		expect((await call('read_more', {})).body.error.code).toBe(-32602)
		await first.manage('PATCH', `/v1/mcp/servers/${serverId}/access/${agent.id}`, {
			access_mode: 'selected',
			allowed_tools: ['other'],
		})
		expect((await call('read_more', { reference })).body).toMatchObject({
			error: { data: { code: 'tool_not_granted' } },
		})
	})

	it('returns the limit, and refuses an invalid one', async () => {
		const shown = await first.manage('GET', `/v1/mcp/servers/${serverId}`)
		expect(shown.max_result_bytes).toBe(limit)
		for (const max_result_bytes of [0, 4095, 4_194_305, '4096'])
			expect(
				(
					await first.request('PATCH', `/v1/mcp/servers/${serverId}`, {
						token: first.owner.token,
						body: { max_result_bytes },
					})
				).status,
			).toBe(400)
	})

	it('stores the rest sealed for an hour, up to a limit per workspace', async () => {
		const clock = manualClock(Date.UTC(2030, 0, 1))
		const kept = new KeptResults(store().db, createSealer(randomBytes(32)), clock)
		const { workspace_id: workspaceId } = await store()
			.db.selectFrom('mcp_servers')
			.select('workspace_id')
			.where('id', '=', serverId)
			.executeTakeFirstOrThrow()
		const caller = { workspaceId, agentId: 'a', principal: { kind: 'agent_key' } } as Caller
		const megabyte = { content: [{ type: 'text', text: 'secret' }], bytes: 1024 * 1024 }
		const source = { serverId, tool: 'run' }
		const { reference, keptBytes } = await kept.keep(caller, source, Array(6).fill(megabyte))
		expect(keptBytes).toBe(4 * 1024 * 1024)
		expect(await kept.read(caller, reference)).toMatchObject({ tool: 'run', leftBytes: 3 * 1024 * 1024 })
		const rows = () => store().db.selectFrom('mcp_kept_results').selectAll().execute()
		expect(JSON.stringify(await rows())).not.toContain('secret')
		clock.advance(hourMs + 1)
		await expect(kept.read(caller, reference)).rejects.toMatchObject({ errorType: 'result_not_kept' })
		for (let at = 0; at < 17; at += 1) {
			clock.advance(1)
			await kept.keep(caller, source, Array(4).fill(megabyte))
		}
		const held = (await rows()).reduce((sum, row) => sum + Number(row.bytes), 0)
		expect(held).toBe(64 * 1024 * 1024)
		clock.advance(hourMs + 1)
		await kept.sweep()
		expect(await rows()).toEqual([])
	})
})
