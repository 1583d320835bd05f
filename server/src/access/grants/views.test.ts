import { afterAll, beforeAll, expect, it } from 'vitest'
import { ChangeFeed } from '../../platform/changes.ts'
import { describeOnBothDatabases } from '../../platform/database/testing.ts'
import { silentLog } from '../../platform/log.ts'
import { createServerView } from '../../servers/server-view.ts'
import { closedAddress, startModernServer, type TestMcpServer } from '../../servers/testing.ts'
import { createAgentView } from '../agents/agents.ts'
import type { GrantEntry } from './grant-entry.ts'
import { createGrantView } from './grant-view.ts'
import { type ControlPlane, startControlPlane } from './testing.ts'

/** A small seeded generator, so that a failure can be reproduced. */
function randomOf(seed: number) {
	let state = seed
	return (below: number) => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0
		return state % below
	}
}

interface Known {
	agents: string[]
	servers: string[]
	toolsets: string[]
}

describeOnBothDatabases('the views of agents, servers and grants', (store) => {
	let app: ControlPlane
	let upstream: TestMcpServer
	beforeAll(async () => {
		upstream = await startModernServer()
		app = await startControlPlane(store())
	})
	afterAll(async () => {
		await app.close()
		await upstream.close()
	})

	it('are equal to a fresh load after any sequence of changes, here and on another node', async () => {
		const seed = Date.now() >>> 0
		const random = randomOf(seed)
		const node = await openNode()
		const known: Known = { agents: [], servers: [], toolsets: [] }
		for (let step = 0; step < 120; step += 1) await change(random, step, known)
		const fresh = await openNode()
		const ids = {
			toolsets: await idsOf('toolsets'),
			agents: await idsOf('agents'),
			servers: await idsOf('mcp_servers'),
			gone: [...known.agents, ...known.servers, ...known.toolsets],
		}
		const expected = picture(fresh.views, ids)
		expect(
			picture({ agents: app.agents.view, servers: app.servers.view, grants: app.grants.view }, ids),
			`seed ${seed}`,
		).toEqual(expected)
		await node.feed.catchUp()
		expect(picture(node.views, ids), `another node, seed ${seed}`).toEqual(expected)
		expect(ids.agents.length + ids.servers.length).toBeGreaterThan(0)
		await node.feed.stop()
		await fresh.feed.stop()
	})

	/** Opens views over the same store, as another node would. */
	async function openNode() {
		const feed = new ChangeFeed(store(), silentLog, app.clock)
		const views = {
			agents: createAgentView(store().db),
			servers: createServerView(store().db, app.sealer, silentLog),
			grants: createGrantView(store().db),
		}
		for (const view of Object.values(views)) feed.add(view)
		await feed.start()
		return { feed, views }
	}

	const sorted = (grants: readonly GrantEntry[]) => grants.toSorted((a, b) => (a.id < b.id ? -1 : 1))

	const idsOf = async (table: 'agents' | 'mcp_servers' | 'toolsets') =>
		(await store().db.selectFrom(table).select('id').execute()).map(({ id }) => id)

	function picture(
		{
			agents,
			servers,
			grants,
		}: Pick<Awaited<ReturnType<typeof openNode>>['views'], never> & {
			agents: typeof app.agents.view
			servers: typeof app.servers.view
			grants: typeof app.grants.view
		},
		ids: Known & { gone: string[] },
	) {
		const all = [...new Set([...ids.agents, ...ids.servers, ...ids.toolsets, ...ids.gone])].sort()
		return {
			agents: all.map((id) => agents.get(id)),
			servers: all.map((id) => servers.get(id)),
			listed: servers
				.list(app.owner.workspaceId)
				.map(({ id }) => id)
				.sort(),
			bySlug: all.map((id) => servers.find(app.owner.workspaceId, servers.get(id)?.slug ?? id)?.id),
			grants: all.map((id) => [...grants.serversOf(id)].sort()),
			derived: all.map((id) =>
				grants
					.ofToolset(id)
					.map(({ id }) => id)
					.sort(),
			),
			pairs: ids.agents.flatMap((agent) => ids.servers.map((server) => sorted(grants.of(agent, server)))),
		}
	}

	async function change(random: (below: number) => number, step: number, known: Known): Promise<void> {
		const { token } = app.owner
		const send = (method: string, path: string, body?: object) =>
			app.request(method, path, { token, ...(body && { body }) })
		const agent = known.agents[random(known.agents.length || 1)] ?? 'none'
		const server = known.servers[random(known.servers.length || 1)] ?? 'none'
		const toolset = known.toolsets[random(known.toolsets.length || 1)] ?? 'none'
		const groups = ['red', 'green'].filter(() => random(2))
		const tools = [{ server_id: server, tools: random(2) ? ['echo'] : '*' }]
		const actions = [
			async () => void known.agents.push((await app.create('/v1/agents', { name: `agent ${step}` })).id),
			async () =>
				void known.servers.push(
					(
						await app.create('/v1/mcp/servers', {
							name: `server ${step}`,
							url: random(2) ? upstream.url : await closedAddress(),
							headers: { 'x-step': String(step) },
						})
					).id,
				),
			() =>
				send('POST', `/v1/mcp/servers/${server}/access`, {
					agent_uuid: agent,
					...(random(2) && { allowed_tools: ['echo'] }),
				}),
			() => send('POST', `/v1/mcp/servers/${server}/access`, { agent_uuid: agent }),
			() => send('PATCH', `/v1/mcp/servers/${server}/access/${agent}`, { enabled: random(2) === 1 }),
			() => send('PATCH', `/v1/mcp/servers/${server}/access/${agent}`, { allowed_tools: ['add'] }),
			() => send('DELETE', `/v1/mcp/servers/${server}/access/${agent}`),
			() => send('POST', `/v1/agents/${agent}/${['pause', 'resume', 'stop', 'start'][random(4)]}`),
			() => send('PATCH', `/v1/agents/${agent}`, { name: `renamed ${step}` }),
			() => send('PATCH', `/v1/agents/${agent}`, { groups }),
			() => send('PATCH', `/v1/agents/${agent}`, { groups }),
			async () => {
				const made = await send('POST', '/v1/toolsets', { name: `toolset ${step}`, tools, groups })
				if (made.status === 201) known.toolsets.push(made.body.id)
			},
			() => send('PATCH', `/v1/toolsets/${toolset}`, { groups }),
			() => send('PATCH', `/v1/toolsets/${toolset}`, { tools }),
			() => (random(3) ? undefined : send('DELETE', `/v1/toolsets/${toolset}`)),
			() => send('PATCH', `/v1/mcp/servers/${server}`, { status: random(2) ? 'active' : 'inactive' }),
			() =>
				send('PATCH', `/v1/mcp/servers/${server}`, {
					name: `moved ${step}`,
					url: random(2) ? upstream.url : `${upstream.url}?step=${step}`,
				}),
			() => (random(3) ? undefined : send('DELETE', `/v1/agents/${agent}`)),
			() => (random(3) ? undefined : send('DELETE', `/v1/mcp/servers/${server}?force=true`)),
		]
		await actions[random(actions.length)]?.()
	}
})
