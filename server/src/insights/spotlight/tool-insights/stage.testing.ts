import { fromJsonSchema } from '@modelcontextprotocol/server'
import { expect, vi } from 'vitest'
import { type ControlPlane, startControlPlane } from '../../../access/grants/testing.ts'
import type { RowBinaryInsert } from '../../../platform/clickhouse/store.ts'
import type { TestStore } from '../../../platform/clickhouse/testing.ts'
import { manualClock } from '../../../platform/clock.ts'
import type { ControlStore } from '../../../platform/database/database.ts'
import { type ModernTestServer, startModernServer } from '../../../servers/testing.ts'
import { spanInsert } from '../../../telemetry/blocks/native.testing.ts'
import {
	type Exchange,
	encodeExchange,
	exchangeColumnNames,
	newSpanRow,
	type SpanRow,
} from '../../../telemetry/index.ts'
import { startJoinedStore } from '../joined-store.testing.ts'
import { openToolInsights } from './tool-insights.ts'

export type Offered = Record<string, string>

export interface McpStage {
	app: ControlPlane
	clock: ReturnType<typeof manualClock>
	/** Advances the clock and waits until permissions are fresh again. */
	wait(ms: number): Promise<void>
	/** Creates a server with tools, given by name and description, or a new release of an existing one. */
	offer(server: { id?: string; name: string }, tools: Offered): Promise<string>
	agent(name: string, serverIds: readonly string[]): Promise<{ id: string; name: string }>
	record(rows: readonly SpanRow[], exchanges?: readonly Exchange[]): Promise<void>
	/** The answer of `GET /v1/spotlight/mcp/{question}`. */
	ask(question: string, query?: Record<string, string>): Promise<Record<string, unknown>>
	close(): Promise<void>
}

/** The tool insights over real servers, grants and the real engine. */
export async function startMcpStage(store: ControlStore): Promise<McpStage> {
	const clock = manualClock(Date.now())
	const engine = await startJoinedStore()
	const app = await startControlPlane(store, {
		clock,
		more: ({ agents, servers, grants, ...core }) => {
			const views = { agents: agents.view, servers: servers.view, grants: grants.view }
			const publicAddress = () => 'http://127.0.0.1:7777'
			return openToolInsights({ ...core, ...views, clock, telemetry: engine.store, publicAddress }).operations
		},
	})
	const upstreams = new Map<string, Upstream>()
	return {
		app,
		clock,
		wait: async (ms) => {
			clock.advance(ms)
			const ask = () => app.request('GET', '/v1/agents', { token: app.owner.token })
			await vi.waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 10_000 })
		},
		offer: async ({ id, name }, tools) => {
			const upstream = upstreams.get(name) ?? (await startUpstream())
			upstreams.set(name, upstream)
			upstream.tools = tools
			if (!id) return (await app.create('/v1/mcp/servers', { name, url: upstream.server.url })).id
			await app.request('POST', `/v1/mcp/servers/${id}/tools/refresh`, { token: app.owner.token })
			return id
		},
		agent: async (name, serverIds) => {
			const { uuid } = await app.create('/v1/agents', { name })
			for (const id of serverIds) await app.create(`/v1/mcp/servers/${id}/access`, { agent_uuid: uuid })
			return { id: uuid, name }
		},
		record: (rows, exchanges = []) => record(engine, rows, exchanges),
		ask: async (question, query = {}) => {
			const path = `/v1/spotlight/mcp/${question}?${new URLSearchParams(query)}`
			const { status, body, text } = await app.request('GET', path, { token: app.owner.token })
			if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
			return body
		},
		close: async () => {
			await app.close()
			for (const { server } of upstreams.values()) await server.close()
			await engine.close()
		},
	}
}

interface Upstream {
	server: ModernTestServer
	tools: Offered
}

async function startUpstream(): Promise<Upstream> {
	const upstream: Partial<Upstream> = { tools: {} }
	upstream.server = await startModernServer({
		bare: true,
		configure: (server) => {
			for (const [name, description] of Object.entries(upstream.tools ?? {})) {
				const inputSchema = fromJsonSchema({ type: 'object', properties: {} })
				server.registerTool(name, { description, inputSchema }, async () => ({ content: [] }))
			}
		},
	})
	return upstream as Upstream
}

let batches = 0

async function record(
	engine: TestStore,
	rows: readonly SpanRow[],
	exchanges: readonly Exchange[],
): Promise<void> {
	const insert = (given: Omit<RowBinaryInsert, 'deduplicationToken'>) =>
		engine.store.insertRowBinary({ ...given, deduplicationToken: `mcp-${++batches}` })
	if (rows.length > 0) await insert(spanInsert(rows))
	const encoded = exchanges.map((each) => encodeExchange(each, 30))
	if (encoded.length > 0) await insert({ table: 'exchanges', columns: exchangeColumnNames, rows: encoded })
}

let spans = 0

/** A span in a trace of its own. */
export function spanAt(workspaceId: string, ms: number, fields: Partial<SpanRow>): SpanRow {
	const spanId = (++spans).toString(16).padStart(16, '0')
	return newSpanRow({
		workspaceId,
		traceId: spanId.padStart(32, '1'),
		spanId,
		name: 'call',
		source: 'gateway',
		kind: 'tool_call',
		status: 'ok',
		startNs: BigInt(ms) * 1_000_000n,
		durationNs: 1_000_000n,
		...fields,
	})
}

/** An element that must exist. */
export const at = <T>(of: readonly T[], place: number): T => of[place] as T
export const withId = <T extends { id: string }>(of: readonly T[], id: string): T =>
	of.find((one) => one.id === id) as T
