import { expect, it } from 'vitest'
import { openTestGatewayOn } from '../../gateway/testing.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { startModernServer } from '../../servers/testing.ts'
import type { Agents } from '../agents/agents.ts'
import { syncAgentGroups } from './consent.ts'

describeWithStore("the groups of a person's own agent", (store) => {
	it('follow what the provider says, with the grants of their toolsets; groups given by hand stay', async () => {
		let agents: Agents | undefined
		const upstream = await startModernServer()
		const gateway = await openTestGatewayOn(store(), {}, (core) => {
			agents = core.agents
			return { operations: [], routes: [] }
		})
		try {
			const { workspaceId, userId } = gateway.owner
			const server_id = await gateway.addServer('Deploying', upstream.url)
			const tools = [{ server_id, tools: ['echo'] }]
			await gateway.manage('POST', '/v1/toolsets', { name: 'Deploy', groups: ['deploy'], tools })
			const { id } = await gateway.addAgent("Owner's assistant")
			await gateway.manage('PATCH', `/v1/agents/${id}`, { groups: ['by-hand'] })
			const row = { workspace_id: workspaceId, user_id: userId, agent_id: id }
			await store().db.insertInto('personal_agents').values(row).execute()
			const follow = (before: string[], after: string[]) =>
				store()
					.db.transaction()
					.execute((tx) =>
						syncAgentGroups({ agents: agents as Agents }, tx, {
							workspaceId,
							userId,
							before,
							after,
							by: { kind: 'system', id: null, name: 'groups' },
							requestId: 'r',
						}),
					)
			const shown = async () => {
				const { groups } = await gateway.manage('GET', `/v1/agents/${id}`)
				const { access } = await gateway.manage('GET', `/v1/mcp/servers/${server_id}/access`)
				return { groups, grants: access.length }
			}
			await follow([], ['deploy'])
			expect(await shown()).toEqual({ groups: ['by-hand', 'deploy'], grants: 1 })
			await follow(['deploy'], ['debug'])
			expect(await shown()).toEqual({ groups: ['by-hand', 'debug'], grants: 0 })
			await follow(['debug'], [])
			expect(await shown()).toEqual({ groups: ['by-hand'], grants: 0 })
		} finally {
			await gateway.close()
			await upstream.close()
		}
	})
})
