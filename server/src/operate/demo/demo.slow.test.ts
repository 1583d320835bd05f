import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { createLog, silentLog } from '../../platform/log.ts'
import { createApp } from '../../program/app.ts'
import { fillNewDataDir, newDataDir, owner, removeDataDir } from '../../program/program.testing.ts'
import type { App } from '../../program/serve-areas.ts'
import { telemetryTables } from '../../telemetry/index.ts'
import { openStores, type Stores } from '../stores/stores.ts'
import { IngressClient } from './ingress-client.ts'

interface Demo {
	state: string
	workspace_id: string
	highlights: { kind: string; path: string }[]
}
interface Span {
	started_at: string
	duration_ms: number
	attributes: Record<string, unknown>
}

/** With more frequent queries the engine would spend most of its time on them. */
const patience = { timeout: 60_000, interval: 500 }
/** An alert is evaluated once a minute. The first time can be before the calls of the demo. */
const twoEvaluations = { timeout: 130_000, interval: 500 }

describe('the demo workspace', () => {
	const dataDir = newDataDir()
	let stores: Stores
	let app: App
	let operator: IngressClient
	let inside: IngressClient
	let demo: Demo
	let pendingWhenReady: number
	const lines: { address?: string }[] = []

	beforeAll(async () => {
		const config = readConfig({
			SIGNALBOX_DATA_DIR: dataDir,
			SIGNALBOX_INIT_ADMIN_EMAIL: owner.email,
			SIGNALBOX_INIT_ADMIN_PASSWORD: owner.password,
		})
		await fillNewDataDir(dataDir)
		stores = await openStores(config, silentLog)
		const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
		app = await createApp({ config, stores, log, version: '0', ownPorts: () => [7777] })
		operator = await signIn(owner)
		await operator.call('POST', '/v1/demo')
		demo = await vi.waitFor(async () => {
			const now = await operator.call<Demo>('GET', '/v1/demo')
			expect(now.state).toBe('ready')
			return now
		}, patience)
		pendingWhenReady = stores.recorder.stats().pendingRows
		const body = { workspace_id: demo.workspace_id }
		inside = operator.as((await operator.call<{ token: string }>('POST', '/auth/switch', body)).token)
	}, 240_000)
	afterAll(async () => {
		await app?.close()
		await stores?.close(1000)
		removeDataDir(dataDir)
	})

	async function signIn(credentials: object, path = '/auth/login'): Promise<IngressClient> {
		const anyone = new IngressClient(app.handle, '127.0.0.1:7777', 'nobody')
		const answer = await anyone.send({
			method: 'POST',
			path,
			body: credentials,
			headers: { authorization: '' },
		})
		return anyone.as((JSON.parse(answer.text) as { token: string }).token)
	}

	const rowsOf = async (table: string) => {
		const [row] = await stores.telemetry.query<{ rows: number }>(
			`SELECT toUInt32(count()) AS rows FROM ${table} WHERE workspace_id = {workspace:String}`,
			{ workspace: demo.workspace_id },
		)
		return row?.rows
	}

	it('has a day of calls that are dated correctly and marked', async () => {
		// The last calls are counted a moment after their responses.
		await vi.waitFor(async () => {
			type Overview = { calls: number; cost_usd: string }
			const { calls, cost_usd } = await inside.call<Overview>('GET', '/v1/spotlight/overview')
			expect(calls).toBeGreaterThan(800)
			expect(Number(cost_usd)).toBeGreaterThan(5)
		}, patience)
		const query = '/v1/telemetry/spans?source=gateway&limit=1&start=-25h&end=-22h'
		const { spans } = await inside.call<{ spans: Span[] }>('GET', query)
		expect(Date.parse(spans[0]?.started_at ?? '')).toBeLessThan(Date.now() - 22 * 3_600_000)
		expect(spans[0]?.duration_ms).toBeGreaterThan(50)
		expect(spans[0]?.attributes['signalbox.demo']).toBe(true)
	})

	it('says of each agent, key and connection that it was last used at its last call', async () => {
		type Lists = { agents: { uuid: string; name: string; last_seen_at: string }[] }
		const { agents } = await inside.call<Lists>('GET', '/v1/agents')
		const lastCallOf = async (filter: string) => {
			const query = `/v1/telemetry/spans?${filter}&limit=1&start=-25h`
			const { spans } = await inside.call<{ spans: Span[] }>('GET', query)
			return spans[0]?.started_at
		}
		for (const { uuid, name, last_seen_at } of agents) {
			expect(last_seen_at, name).toBe(await lastCallOf(`agent_uuid=${uuid}`))
			const { keys } = await inside.call<{ keys: { last_used_at: string }[] }>(
				'GET',
				`/v1/agents/${uuid}/keys`,
			)
			expect(keys.map(({ last_used_at }) => last_used_at)).toEqual([last_seen_at])
		}
		expect(new Set(agents.map(({ last_seen_at }) => last_seen_at)).size).toBe(4)
		const { provider_keys: connections } = await inside.call<{
			provider_keys: { name: string; last_used_at: string }[]
		}>('GET', '/v1/provider-keys')
		for (const { name, last_used_at } of connections)
			expect(last_used_at, name).toBe(await lastCallOf(`source=model_proxy&connection=${name}`))
	})

	it('highlights a loop, a changed tool and an exceeded budget, and each exists', async () => {
		expect(demo.highlights.map(({ kind }) => kind)).toEqual(['agent_loop', 'changed_tool', 'budget_breach'])
		// The last calls are found a moment after their responses.
		await vi.waitFor(async () => {
			const { errors } = await inside.call<{ errors: { error_type: string }[] }>(
				'GET',
				'/v1/spotlight/errors',
			)
			const types = errors.map(({ error_type }) => error_type)
			expect(types).toEqual(
				expect.arrayContaining(['tool_error', 'tool_not_granted', 'budget_exhausted', 'definition_changed']),
			)
		}, patience)
		const { pending } = await inside.call<{ pending: { name: string }[] }>(
			'GET',
			'/v1/mcp/pending-definitions',
		)
		expect(pending.map(({ name }) => name)).toEqual(['create_issue'])
		const { approvals } = await inside.call<{ approvals: object[] }>('GET', '/v1/approvals?status=pending')
		expect(approvals.length).toBe(1)
		await vi.waitFor(async () => {
			const { alerts } = await inside.call<{ alerts: { kind: string; state: { status: string } }[] }>(
				'GET',
				'/v1/alerts',
			)
			const firing = alerts.filter(({ state }) => state.status === 'firing').map(({ kind }) => kind)
			expect(firing).toEqual(expect.arrayContaining(['agent_loop', 'definition_changed']))
		}, twoEvaluations)
	}, 200_000)

	it('tells the same story everywhere: a tool changed before its calls were refused, and budgets count what Spend shows', async () => {
		type Changes = { definition_changes: { tool: string; changed_at: string; before: { calls: number } }[] }
		const { definition_changes: changes } = await inside.call<Changes>(
			'GET',
			'/v1/spotlight/mcp/definition-changes',
		)
		expect(changes).toMatchObject([{ tool: 'create_issue' }])
		expect(changes[0]?.before.calls).toBeGreaterThan(10)
		const query = '/v1/telemetry/spans?error_type=definition_changed&limit=10'
		const { spans } = await inside.call<{ spans: Span[] }>('GET', query)
		const changedAt = changes[0]?.changed_at ?? ''
		expect(spans.filter(({ started_at }) => started_at < changedAt)).toEqual([])
		const { budgets } = await inside.call<{ budgets: { name: string; state: { spent: string } }[] }>(
			'GET',
			'/v1/budgets',
		)
		const { cost_usd } = await inside.call<{ cost_usd: string }>('GET', '/v1/spotlight/overview')
		const spent = budgets.find(({ name }) => name === 'All models')?.state.spent
		expect(Number(spent) / 1e9).toBeCloseTo(Number(cost_usd), 6)
	})

	it('is ready when its calls are in the store, so that the first look at it is complete', () => {
		expect(pendingWhenReady).toBe(0)
	})

	it('shows which server became slower with its last release', async () => {
		type Release = { version: string; latency_ms: { p50: number } }
		const { releases } = await inside.call<{
			releases: (Release & { server: { name: string }; before: Release | null })[]
		}>('GET', '/v1/spotlight/releases')
		const slower = releases.filter(
			({ before, latency_ms }) => before && latency_ms.p50 > 2 * before.latency_ms.p50,
		)
		expect(slower.map(({ server, version, before }) => [server.name, before?.version, version])).toEqual([
			['Build farm', '1.4.2', '1.5.0'],
		])
	})

	it('has sessions that read as conversations, and each run is one trace', async () => {
		type Message = { kind: string; role: string; text: string }
		type Call = { trace_id: string; kind: string; messages: Message[] | null }
		const query = '/v1/telemetry/spans?source=model_proxy&model=gpt-5-mini&limit=100&start=-24h&end=-20h'
		const { spans } = await inside.call<{ spans: { session_id: string; trace_id: string }[] }>('GET', query)
		const { session_id: id, trace_id: traceId } = spans[0] as (typeof spans)[number]
		const session = await vi.waitFor(async () => {
			const found = await inside.call<{ conversation: string; calls: Call[] }>(
				'GET',
				`/v1/spotlight/sessions/${encodeURIComponent(id)}`,
			)
			expect(found.conversation).toBe('recorded')
			return found
		}, patience)
		const messagesOf = (kind: string) =>
			session.calls.flatMap((call) => (call.kind === kind ? (call.messages ?? []) : []))
		expect(new Set(messagesOf('tool_call').map(({ kind }) => kind))).toEqual(new Set(['arguments', 'result']))
		const modelMessages = messagesOf('model_call')
		expect([...new Set(modelMessages.map(({ kind, role }) => `${kind} ${role}`))]).toEqual([
			'system system',
			'message user',
			'answer assistant',
			'message tool',
		])
		const text = modelMessages.map((message) => message.text).join()
		expect(text).toContain('tool_calls')
		expect(text).toContain('4711 failed')
		expect(new Set(session.calls.map((call) => call.trace_id))).toEqual(new Set([traceId]))
		const path = `/v1/telemetry/traces/${traceId}`
		const trace = await inside.call<{
			spans: { source: string }[]
			tool_links: { confidence: string; runs: object[] }[]
		}>('GET', path)
		expect(new Set(trace.spans.map(({ source }) => source))).toEqual(
			new Set(['otlp', 'gateway', 'model_proxy']),
		)
		expect(trace.tool_links.map(({ confidence, runs }) => [confidence, runs.length])).toEqual(
			trace.tool_links.map(() => ['exact', 1]),
		)
	})

	it('leaves no screen empty: requests, rules for models, receivers, refused arguments, a long failure', async () => {
		type Lists = Record<string, { status?: string }[]>
		const listed = async (path: string, name: string) => (await inside.call<Lists>('GET', path))[name] ?? []
		const requests = await listed('/v1/access-requests', 'access_requests')
		expect(requests.map(({ status }) => status)).toEqual(['pending', 'declined'])
		for (const [path, name] of [
			['/v1/toolsets', 'toolsets'],
			['/v1/routes', 'routes'],
			['/v1/model-limits', 'model_limits'],
			['/v1/hooks', 'hooks'],
			['/v1/prices', 'prices'],
			['/v1/webhooks', 'webhooks'],
			['/v1/forwarders', 'forwarders'],
			['/v1/scores', 'scores'],
			['/v1/spotlight/mcp/invalid-arguments', 'invalid_arguments'],
			['/v1/spotlight/cache-misses?start=-25h', 'cache_misses'],
		] as const)
			expect((await listed(path, name)).length, path).toBeGreaterThan(0)
		type Selection = { tool_selection: { tool: string; offered: number; chosen: number }[] }
		const { tool_selection: selection } = await inside.call<Selection>(
			'GET',
			'/v1/spotlight/mcp/tool-selection',
		)
		expect(selection.filter(({ offered, chosen }) => offered > chosen && chosen > 0).length).toBeGreaterThan(
			5,
		)
		type Costs = { tool_costs: { tool: string; uses: number; definitions: { tokens: number } }[] }
		const { tool_costs: costs } = await inside.call<Costs>('GET', '/v1/spotlight/tool-costs?start=-25h')
		expect(costs.every(({ definitions }) => definitions.tokens > 0)).toBe(true)
		expect(costs.find(({ uses }) => uses === 0)?.tool).toBe('find_invoice')
		type Causes = { causes: { cause: string }[] }
		const { causes } = await inside.call<Causes>('GET', '/v1/spotlight/cache-misses?start=-25h')
		expect(causes.map(({ cause }) => cause)).toContain('system_changed')
		const query = '/v1/telemetry/spans?tool=trigger_build&status=error&start=-25h'
		const { spans } = await inside.call<{ spans: { status_message: string }[] }>('GET', query)
		expect(spans[0]?.status_message).toContain('manifest for registry.example.com')
	})

	it('is kept for the longest possible retention, and the log says where it is', async () => {
		const query = `SELECT DISTINCT retention_days AS days FROM spans WHERE workspace_id = {workspace:String}`
		const found = await stores.telemetry.query<{ days: number }>(query, { workspace: demo.workspace_id })
		expect(found.map(({ days }) => Number(days))).toEqual([365])
		expect(lines.map(({ address }) => address)).toContain('http://127.0.0.1:7777/ui/w/demo/')
	})

	it('exists only once, is created only by operators, and is invisible to others', async () => {
		expect((await operator.send({ method: 'POST', path: '/v1/demo' })).status).toBe(409)
		const stranger = await signIn({ email: 'eve@example.org', password: owner.password }, '/auth/register')
		expect((await stranger.call<Demo>('GET', '/v1/demo')).state).toBe('none')
		expect((await stranger.send({ method: 'DELETE', path: '/v1/demo' })).status).toBe(403)
	})

	it('keeps no key that was used to create it', async () => {
		await vi.waitFor(async () => {
			const { keys } = await inside.call<{ keys: { name: string }[] }>('GET', '/v1/keys?status=active')
			expect(keys.map(({ name }) => name)).not.toContain('Demo data')
		}, patience)
	})

	it('is deleted with everything in it', async () => {
		expect(await rowsOf('spans')).toBeGreaterThan(1000)
		await operator.call('DELETE', '/v1/demo')
		expect((await operator.call<Demo>('GET', '/v1/demo')).state).toBe('none')
		await vi.waitFor(
			async () =>
				expect(await Promise.all(telemetryTables.map(rowsOf))).toEqual(telemetryTables.map(() => 0)),
			{ ...patience, interval: 1000 },
		)
		await vi.waitFor(
			async () => expect(await stores.control.db.selectFrom('demos').selectAll().execute()).toEqual([]),
			patience,
		)
	}, 70_000)
})
