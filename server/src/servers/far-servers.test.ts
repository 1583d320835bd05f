import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../access/grants/testing.ts'
import type { ControlStore } from '../platform/database/database.ts'
import { openTestSqlite } from '../platform/database/testing.ts'
import { startHandler } from './discovery/testing.ts'
import { startEverythingServer, startFarAway, type TestMcpServer } from './testing.ts'

const distances = process.env.LONG_TESTS ? [150, 300, 500, 800] : [200]
const ending: (() => Promise<void> | void)[] = []
let store: ControlStore
let app: ControlPlane
let everything: TestMcpServer

beforeAll(async () => {
	const opened = await openTestSqlite()
	store = opened.store
	everything = await startEverythingServer()
	app = await startControlPlane(store)
	ending.push(app.close, everything.close, opened.end)
	await app.servers.start()
})
afterAll(async () => {
	for (const end of ending) await end()
})

interface Tools {
	tools: { name: string; pin: string }[]
	pending: string | null
	refreshed_at: string | null
}
const ask = async (method: string, path: string, body?: object) =>
	(await app.request(method, path, { token: app.owner.token, ...(body && { body }) })).body
const toolsOf = (id: string): Promise<Tools> => ask('GET', `/v1/mcp/servers/${id}/tools`)
const seen = ({ tools }: Tools) => tools.map(({ name, pin }) => `${name} ${pin}`).sort()
const toldOf = async (id: string) => {
	const rows = await store.db.selectFrom('events').select(['type', 'data']).orderBy('seq').execute()
	return rows
		.filter(({ type, data }) => type.startsWith('tool.') && data.includes(id))
		.map(({ type }) => type)
}
const grantAll = async (id: string, name: string) => {
	const agent = await app.create('/v1/agents', { name })
	await app.create(`/v1/mcp/servers/${id}/access`, { agent_uuid: agent.uuid })
}

it('all tools of a distant server are found, and none is ever mistaken for a new one', {
	timeout: 120_000,
}, async () => {
	const near = await app.create('/v1/mcp/servers', { name: 'Near', url: everything.url })
	await expect.poll(async () => (await toolsOf(near.id)).pending, { timeout: 20_000 }).toBeNull()
	const whole = await toolsOf(near.id)
	expect(whole.tools.length).toBeGreaterThan(15)
	app.jobs.start()
	const register = async (delayMs: number) => {
		const far = await startFarAway(everything.url, delayMs)
		ending.unshift(far.close)
		const started = performance.now()
		const { id, tools_pending } = await app.create('/v1/mcp/servers', {
			name: `Far ${delayMs}`,
			url: far.url,
		})
		expect(performance.now() - started).toBeLessThan(5000)
		const first = await toolsOf(id)
		expect(first.pending).toBe(tools_pending)
		expect(first.pending === null ? seen(first) : first.pending).toEqual(
			first.pending === null ? seen(whole) : expect.stringContaining('in the background'),
		)
		await grantAll(id, `of ${delayMs}`)
		await expect.poll(async () => (await toolsOf(id)).pending, { timeout: 60_000, interval: 200 }).toBeNull()
		expect(seen(await toolsOf(id))).toEqual(seen(whole))
		expect(seen(await ask('POST', `/v1/mcp/servers/${id}/tools/refresh`))).toEqual(seen(whole))
		expect(await toldOf(id)).toEqual([])
		expect(app.servers.view.get(id)?.introduction?.conditionalTools).toEqual(
			app.servers.view.get(near.id)?.introduction?.conditionalTools,
		)
	}
	await Promise.all(distances.map(register))
})

it('an incomplete check says so, and suspends, removes and announces nothing', async () => {
	const names = { plain: ['a', 'b'], more: ['c'] }
	let isFurtherLate = false
	const reply = (id: unknown, result: object) => JSON.stringify({ jsonrpc: '2.0', id, result })
	const server = await startHandler<{
		id?: number
		method?: string
		params?: { _meta?: Record<string, object> }
	}>(({ id, method, params }, response) => {
		const able = params?._meta?.['io.modelcontextprotocol/clientCapabilities'] ?? {}
		const isFurther = Object.keys(able).length > 0
		if (isFurther && isFurtherLate) return void response.destroy()
		const list = isFurther ? [...names.plain, ...names.more] : names.plain
		const result =
			method === 'server/discover'
				? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
				: { tools: list.map((name) => ({ name, inputSchema: { type: 'object' } })) }
		response.writeHead(200, { 'content-type': 'application/json' }).end(reply(id, result))
	})
	ending.unshift(server.close)
	const { id } = await app.create('/v1/mcp/servers', { name: 'Half', url: server.url })
	await grantAll(id, 'of half')
	const before = await toolsOf(id)
	expect(before).toMatchObject({ pending: null })
	const refreshedAt = before.refreshed_at
	isFurtherLate = true
	names.plain = ['a', 'd']
	const partial = await ask('POST', `/v1/mcp/servers/${id}/tools/refresh`)
	expect(seen(partial)).toEqual(['a open', 'b open', 'c open'])
	expect(partial).toMatchObject({
		refreshed_at: refreshedAt,
		pending: 'Its tools for clients with certain capabilities could not be listed. The connection was cut.',
	})
	expect(await ask('GET', `/v1/mcp/servers/${id}`)).toMatchObject({ tools_pending: partial.pending })
	expect(await ask('GET', `/v1/mcp/servers/${id}/health`)).toMatchObject({ status: 'healthy' })
	expect(await toldOf(id)).toEqual([])
	isFurtherLate = false
	const later = await ask('POST', `/v1/mcp/servers/${id}/tools/refresh`)
	expect(seen(later)).toEqual(['a open', 'c open', 'd suspended'])
	expect(later).toMatchObject({ pending: null })
	expect(await toldOf(id)).toEqual(['tool.definition_changed', 'tool.suspended'])
})

it.each(['with everything', 'with its tools'])(
	'a server that is late %s is registered with the reason, and checked again at once with more time',
	async (what) => {
		const held: (() => void)[] = []
		let isSilent = true
		const server = await startHandler<{ id?: number; method?: string }>(({ id, method }, response) => {
			const result =
				method === 'server/discover'
					? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
					: { tools: [{ name: 'a', inputSchema: {} }] }
			const answer = () =>
				response
					.writeHead(200, { 'content-type': 'application/json' })
					.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
			if (isSilent && (what === 'with everything' || method === 'tools/list')) held.push(answer)
			else answer()
		})
		ending.unshift(server.close)
		const made = await app.create('/v1/mcp/servers', { name: `Late ${what}`, url: server.url })
		const late = 'It did not answer within 3 s. It is checked again in the background, with more time.'
		const reason = what === 'with everything' ? late : `Its tools could not be listed. ${late}`
		const health = what === 'with everything' ? 'unhealthy' : 'degraded'
		expect(made).toMatchObject({ health_status: health, health_error: reason, tools_pending: reason })
		isSilent = false
		for (const answer of held) answer()
		await expect
			.poll(() => ask('GET', `/v1/mcp/servers/${made.id}`), { timeout: 15_000, interval: 100 })
			.toMatchObject({ health_status: 'healthy', health_error: null, tools_pending: null })
	},
)
