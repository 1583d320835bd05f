import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ControlSchema } from '../../platform/database/schema.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { newId } from '../../platform/ids.ts'
import { decideAccess } from './decide-access.ts'
import { insertGrants } from './grant-repository.ts'
import { createGrantView } from './grant-view.ts'
import { type ControlPlane, startControlPlane } from './testing.ts'

/** CPU time of this process so far, which excludes other load on the machine. */
const processorMs = () => {
	const { user, system } = process.cpuUsage()
	return (user + system) / 1000
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The short form uses a fifth of all numbers and limits. */
const part = process.env.LONG_TESTS ? 1 : 5
const [serverCount, agentCount, grantCount] = [10_000 / part, 10_000 / part, 100_000 / part]

describeWithStore(`${serverCount} servers, ${agentCount} agents and ${grantCount} grants`, (store) => {
	let app: ControlPlane
	let agents: string[]
	let servers: string[]
	let nextMs = Date.now()
	const freshId = () => {
		nextMs += 1
		return newId(nextMs)
	}
	beforeAll(async () => {
		app = await startControlPlane(store())
		agents = Array.from({ length: agentCount }, freshId)
		servers = Array.from({ length: serverCount }, freshId)
		await fill()
	}, 180_000)
	afterAll(() => app.close())

	async function fill(): Promise<void> {
		const workspace_id = app.owner.workspaceId
		const { id: _, ...made } = await app.create('/v1/mcp/servers', {
			name: 'x',
			url: 'http://127.0.0.1:1/mcp',
		})
		expect(made.slug).toBe('x')
		const template = await store().db.selectFrom('mcp_servers').selectAll().executeTakeFirstOrThrow()
		const times = { created_at: nextMs, updated_at: nextMs }
		const agent = {
			workspace_id,
			description: '',
			status: 'active',
			last_seen_at: null,
			model_access: '{"mode":"all"}',
			call_limits: null,
			tool_face: null,
		}
		await insertAll(
			'agents',
			agents.map((id, at) => ({ ...agent, ...times, id, name: `agent ${at}` })),
		)
		await insertAll(
			'mcp_servers',
			servers.map((id, at) => ({ ...template, id, name: `server ${at}`, slug: `server-${at}` })),
		)
		const grant = { workspace_id, source: 'manual', access_mode: 'selected', enabled: 1, ...times }
		const withoutApproval = { approval: null, approver: null, approval_wait_ms: null, call_limits: null }
		const parts = { allowed_prompts: null, allowed_resources: null }
		const unlimited = { expires_at: null, constraints: null, ...withoutApproval }
		const rows = Array.from({ length: grantCount }, (_, at) => ({
			...grant,
			...unlimited,
			...parts,
			id: freshId(),
			agent_id: agents[at % agentCount] as string,
			server_id: servers[(at * 7 + Math.floor(at / agentCount)) % serverCount] as string,
			denied_hints: null,
			allowed_tools: JSON.stringify([`tool_${at % 50}`, 'echo', 'add']),
		}))
		for (let at = 0; at < rows.length; at += 10_000)
			await store()
				.db.transaction()
				.execute((tx) => insertGrants(tx, rows.slice(at, at + 10_000)))
	}

	async function insertAll<T extends 'agents' | 'mcp_servers'>(table: T, rows: ControlSchema[T][]) {
		for (let at = 0; at < rows.length; at += 200)
			await store()
				.db.insertInto(table as 'agents')
				.values(rows.slice(at, at + 200) as ControlSchema['agents'][])
				.execute()
	}

	it(`loads in under ${3000 / part} ms of processor time into reasonable memory, and is evaluated as quickly as a small one`, async () => {
		const view = createGrantView(store().db)
		collectGarbage()
		const before = process.memoryUsage().heapUsed
		const startedMs = processorMs()
		await view.load()
		const loadMs = processorMs() - startedMs
		collectGarbage()
		const heapMb = (process.memoryUsage().heapUsed - before) / 1e6
		process.stdout.write(`grants: loaded in ${Math.round(loadMs)} ms, ${Math.round(heapMb)} MB of heap\n`)
		expect(loadMs).toBeLessThan(3000 / part)
		expect(heapMb).toBeLessThan(250 / part)
		const agent = {
			id: agents[1] as string,
			workspaceId: app.owner.workspaceId,
			name: 'A',
			status: 'active' as const,
		}
		const serverId = view.serversOf(agent.id)[3] as string
		const server = { ...agent, id: serverId }
		const decide = (grants: ReturnType<typeof view.of>) =>
			decideAccess({ agent, server, grants, tool: 'echo', nowMs: 1 })
		const own = view.of(agent.id, serverId)
		expect(decide(own)).toMatchObject({ allowed: true })
		const timeOf = (once: () => unknown) => {
			const begun = processorMs()
			for (let round = 0; round < 100_000 / part; round += 1) once()
			return processorMs() - begun
		}
		const [few, all] = [() => decide(own), () => decide(view.of(agent.id, serverId))]
		timeOf(few)
		timeOf(all)
		// A lookup among many grants must cost no more than a few map lookups. Both sizes are measured in turns in one run.
		const rounds = [1, 2, 3].map(() => [timeOf(few), timeOf(all)] as const)
		const least = (at: 0 | 1) => Math.min(...rounds.map((round) => round[at]))
		expect(least(1)).toBeLessThan(4 * least(0) + 50 / part)
	})

	it.each([
		['/v1/mcp/servers/{id}', () => servers.at(-1)],
		['/agent/list', () => ''],
		['/v1/agents/{id}/access', () => agents.at(-1)],
		['/v1/agents/{id}', () => agents.at(-1)],
	])('answers %s quickly', async (path, id) => {
		const url = path.replace('{id}', id() ?? '')
		const ask = () => app.request('GET', url, { token: app.owner.token })
		expect((await ask()).status).toBe(200)
		const startedMs = processorMs()
		for (let round = 0; round < 20; round += 1) await ask()
		const eachMs = (processorMs() - startedMs) / 20
		process.stdout.write(`${path}: ${eachMs.toFixed(1)} ms\n`)
		expect(eachMs).toBeLessThan(25)
	})
})
