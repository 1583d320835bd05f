import { randomBytes } from 'node:crypto'
import { migrateTelemetryStore } from '../../server/src/platform/clickhouse/migrate.ts'
import { openTelemetryStore, type TelemetryStore } from '../../server/src/platform/clickhouse/store.ts'
import { silentLog } from '../../server/src/platform/log.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import {
	encodeSpanRow,
	newSpanRow,
	spanColumnNames,
	telemetryMigrations,
} from '../../server/src/telemetry/index.ts'

interface SimulationFigures {
	calls: number
	changes: number
	runs: { name: string; ms: number[]; totals: Record<string, number> }[]
}

interface Workspace {
	id: string
	agents: string[]
	servers: string[]
}

const calls = 1_000_000
const agentCount = 50
const serverCount = 10
const tools = Array.from({ length: 20 }, (_, index) => `tool_${index}`)
const days = 7
const rowsPerInsert = 50_000
const repetitions = 5

/** How long the simulator takes for a million recorded calls of a company's agents, all of which a change affects. */
export async function measureSimulation(): Promise<SimulationFigures> {
	const dataDir = newDataDir()
	try {
		const workspace = await withProgram(dataDir, setUp)
		await recordCalls(dataDir, workspace)
		return await withProgram(dataDir, (program) => measure(program, workspace))
	} finally {
		removeDataDir(dataDir)
	}
}

async function withProgram<T>(dataDir: string, work: (program: Program) => Promise<T>): Promise<T> {
	const program = await startProgram(dataDir, { SIGNALBOX_RATE_LIMITS: 'api=off' })
	try {
		return await work(program)
	} finally {
		await program.kill('SIGTERM')
	}
}

/** Every agent has all tools of every server. */
async function setUp(program: Program): Promise<Workspace> {
	const { workspace } = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
	const create = async (path: string, body: object) =>
		(await program.api<{ id: string }>('POST', path, body, 201)).id
	const servers: string[] = []
	for (let made = 0; made < serverCount; made += 1)
		servers.push(
			await create('/v1/mcp/servers', {
				name: `Server ${made}`,
				url: 'http://127.0.0.1:9/mcp',
				transport_type: 'http',
			}),
		)
	const agents: string[] = []
	for (let made = 0; made < agentCount; made += 1)
		agents.push(await create('/v1/agents', { name: `Agent ${made}` }))
	for (const agent_uuid of agents)
		for (const server of servers) await create(`/v1/mcp/servers/${server}/access`, { agent_uuid })
	return { id: workspace.id, agents, servers }
}

/** Writes the calls as the gateway records them for servers with `capture_arguments`, with 20,000 different arguments. */
async function recordCalls(dataDir: string, workspace: Workspace): Promise<void> {
	const store = await openTelemetryStore({ dataDir, log: silentLog })
	try {
		await migrateTelemetryStore(store, telemetryMigrations)
		for (let at = 0; at < calls; at += rowsPerInsert) await insertCalls(store, workspace, at)
	} finally {
		await store.close()
	}
}

function insertCalls(store: TelemetryStore, workspace: Workspace, from: number): Promise<void> {
	const rows = Array.from({ length: rowsPerInsert }, (_, index) => encodeCall(workspace, from + index))
	return store.insertRowBinary({
		table: 'spans',
		columns: spanColumnNames,
		rows,
		deduplicationToken: randomBytes(8).toString('hex'),
	})
}

function encodeCall({ id, agents, servers }: Workspace, index: number): Buffer {
	const [agent, server] = [index % agentCount, Math.floor(index / agentCount) % serverCount]
	const tool = tools[Math.floor(index / agentCount / serverCount) % tools.length] as string
	const values = {
		path: `/data/${index % 20_000}.txt`,
		limit: index % 2 === 0 ? 10 : 100,
		query: 'invoices of last month',
	}
	return encodeSpanRow(
		newSpanRow({
			workspaceId: id,
			traceId: randomBytes(16).toString('hex'),
			spanId: randomBytes(8).toString('hex'),
			name: `tools/call ${tool}`,
			source: 'gateway',
			kind: 'tool_call',
			status: 'ok',
			startNs:
				BigInt(Date.now()) * 1_000_000n -
				(BigInt(days * 86_400 - 3600) * 1_000_000_000n * BigInt(index)) / BigInt(calls),
			agentId: agents[agent] as string,
			serverId: servers[server] as string,
			toolName: tool,
			mcpMethod: 'tools/call',
			requestBytes: 300,
			attributes: new Map([
				['mcp.method.name', 'tools/call'],
				['mcp.protocol.version', '2025-11-25'],
				['gen_ai.tool.name', tool],
				['gen_ai.tool.call.arguments', JSON.stringify(values)],
			]),
		}),
	)
}

async function measure(program: Program, { agents, servers }: Workspace): Promise<SimulationFigures> {
	const half = tools.slice(0, tools.length / 2)
	const small = { properties: { limit: { maximum: 50 } } }
	const constrained = (names: readonly string[]) => ({
		constraints: Object.fromEntries(names.map((name) => [name, small])),
	})
	const proposals = [
		{
			name: 'half of the tools taken from everybody',
			terms: { access_mode: 'selected', allowed_tools: half },
		},
		{ name: 'a constraint on 2 of 20 tools', terms: constrained(tools.slice(0, 2)) },
		{ name: 'a constraint on every tool', terms: constrained(tools) },
	]
	const runs = []
	for (const { name, terms } of proposals) {
		const changes = agents.flatMap((agent_uuid) =>
			servers.map((server_id) => ({ op: 'update', server_id, agent_uuid, ...terms })),
		)
		runs.push({ name, ...(await time(program, { changes, days })) })
	}
	return { calls, changes: agents.length * servers.length, runs }
}

async function time(program: Program, body: object) {
	const ms: number[] = []
	let totals: Record<string, number> = {}
	for (let run = 0; run < repetitions; run += 1) {
		const startedMs = performance.now()
		totals = (await program.api<{ totals: Record<string, number> }>('POST', '/v1/access/simulate', body, 200))
			.totals
		ms.push(performance.now() - startedMs)
	}
	return { ms, totals }
}

export function showSimulation({ calls, changes, runs }: SimulationFigures): void {
	console.log(`\n${changes} changes of grants simulated over ${calls} recorded calls`)
	for (const { name, ms, totals } of runs) {
		const median = [...ms].sort((a, b) => a - b)[Math.floor(ms.length / 2)] ?? 0
		const found = `${totals.newly_denied} newly denied, ${totals.unknown} unknown`
		console.log(`  ${name.padEnd(40)} ${(median / 1000).toFixed(2)} s (goal ≤ 2; ${found})`)
	}
}
