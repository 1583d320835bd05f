import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../access/grants/testing.ts'
import { describeWithStore } from '../platform/database/testing.ts'
import { newId } from '../platform/ids.ts'

/** The short form uses a fifth of the data, and of the time. */
const part = process.env.LONG_TESTS ? 1 : 5
const servers = 10_000 / part
const agents = 10_000 / part

describeWithStore(`${servers} servers, ${agents} agents and ${11 * agents} grants`, (store) => {
	let app: ControlPlane
	let crowded: string
	beforeAll(async () => {
		app = await startControlPlane(store())
		crowded = await fill(store().db, app.owner.workspaceId)
	}, 300_000)
	afterAll(() => app.close())

	/** Milliseconds of CPU time, the median of five requests; other load on the machine does not count. */
	const timeOf = async (path: string) => {
		const times: number[] = []
		for (let turn = 0; turn < 5; turn += 1) {
			const before = process.cpuUsage()
			expect((await app.request('GET', path, { token: app.owner.token })).status).toBe(200)
			const { user, system } = process.cpuUsage(before)
			times.push((user + system) / 1000)
		}
		return times.sort((a, b) => a - b)[2] as number
	}

	it('lists pages quickly by every sort and filter', async () => {
		const queries = [
			'',
			'sort=name&order=asc',
			`sort=updated_at&page=${servers / 100 - 10}`,
			'q=server-77',
			'health_status=unhealthy',
		]
		for (const query of queries) {
			expect(await timeOf(`/v1/mcp/servers?limit=100&${query}`)).toBeLessThan(250)
		}
	})

	it('returns a server that all agents may use with all of its grants', async () => {
		const { body } = await app.request('GET', `/v1/mcp/servers/${crowded}`, { token: app.owner.token })
		expect(new Set(body.agent_access.map(({ id }: { id: string }) => id)).size).toBe(agents)
		expect(await timeOf(`/v1/mcp/servers/${crowded}`)).toBeLessThan(1500 / part)
	})

	it('reads pages and counts of grants from indexes', async () => {
		const page = sql`select * from mcp_servers where workspace_id = ${app.owner.workspaceId} order by created_at desc, id desc limit 100`
		const count = sql`select server_id, count(*) from access_grants where workspace_id = ${app.owner.workspaceId} and server_id in (${crowded}) group by server_id`
		for (const query of [page, count])
			expect(await planOf(store(), query)).not.toMatch(
				/seq scan|scan (mcp_servers|access_grants)$|temp b-tree for order/im,
			)
	})
})

async function planOf(
	{ db, kind }: { db: Parameters<typeof fill>[0]; kind: string },
	query: ReturnType<typeof sql>,
) {
	if (kind === 'postgres') await sql`analyze`.execute(db)
	const explain = kind === 'postgres' ? sql`explain ${query}` : sql`explain query plan ${query}`
	const { rows } = await explain.execute(db)
	return rows
		.map((row) =>
			String((row as Record<string, unknown>).detail ?? (row as Record<string, unknown>)['QUERY PLAN']),
		)
		.join('\n')
}

type Db = Parameters<Parameters<typeof describeWithStore>[1]>[0] extends () => { db: infer T } ? T : never

/**
 * Inserts the rows directly, because registering each by the API would take minutes. Returns the id of the server that all agents
 * may use.
 */
async function fill(db: Db, workspace_id: string): Promise<string> {
	const nowMs = Date.now()
	const times = { created_at: nowMs, updated_at: nowMs }
	const serverRows = Array.from({ length: servers }, (_, index) => ({
		...{
			id: newId(nowMs - index),
			workspace_id,
			name: `Server ${index}`,
			slug: `server-${index}`,
			description: '',
		},
		...{
			endpoint_url: 'http://127.0.0.1:9/mcp',
			transport_type: 'http',
			hosting_mode: 'remote',
			status: 'inactive',
		},
		...{
			health_status: 'healthy',
			failures: 0,
			last_health_check: nowMs,
			last_latency_ms: 1,
			last_error: null,
		},
		...{ protocol_version: null, command: '', args: '[]', sealed_env: null, configuration: '{}' },
		...{
			sealed_headers: null,
			tools_refreshed_at: null,
			created_at: nowMs - index,
			updated_at: nowMs - index,
		},
	}))
	const agentRows = Array.from({ length: agents }, (_, index) => ({
		...{ id: newId(nowMs), workspace_id, name: `Agent ${index}`, description: '', status: 'active' },
		...{ last_seen_at: null, model_access: '{"mode":"all"}', ...times },
	}))
	const grant = (server_id: string, agent_id: string) => ({
		...{ id: newId(nowMs), workspace_id, server_id, agent_id, source: 'manual', access_mode: 'all' },
		...{ allowed_tools: null, enabled: 1, expires_at: null, constraints: null, approval: null, ...times },
	})
	const crowded = serverRows[0] as (typeof serverRows)[number]
	const grants = agentRows.flatMap(({ id }, index) => [
		grant(crowded.id, id),
		...Array.from({ length: 10 }, (_, nth) =>
			grant((serverRows[1 + ((index * 10 + nth) % (servers - 1))] as typeof crowded).id, id),
		),
	])
	await db.transaction().execute(async (tx) => {
		const insert = async (table: 'mcp_servers' | 'agents' | 'access_grants', rows: readonly object[]) => {
			for (let from = 0; from < rows.length; from += 1000)
				await tx
					.insertInto(table)
					.values(rows.slice(from, from + 1000) as never)
					.execute()
		}
		await insert('mcp_servers', serverRows)
		await insert('agents', agentRows)
		await insert('access_grants', grants)
	})
	return crowded.id
}
