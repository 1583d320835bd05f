import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { closedAddress } from '../../../servers/testing.ts'
import { type ControlPlane, startControlPlane } from '../testing.ts'

describeOnBothDatabases('changes of toolsets and groups at the same time', (store) => {
	let app: ControlPlane
	let serverId = ''
	beforeAll(async () => {
		app = await startControlPlane(store())
		serverId = (await app.create('/v1/mcp/servers', { name: 'S', url: await closedAddress() })).id
	})
	afterAll(() => app.close())

	const patch = (path: string, body: object) => app.request('PATCH', path, { token: app.owner.token, body })

	it('leave no unjustified grant and miss none', async () => {
		const agents: string[] = []
		for (let made = 0; made < 4; made += 1)
			agents.push((await app.create('/v1/agents', { name: `A${made}` })).id)
		const tools = [{ server_id: serverId, tools: ['echo'] }]
		const { id } = await app.create('/v1/toolsets', { name: 'T', tools })
		for (let round = 0; round < 25; round += 1) {
			const given = round % 2 === 0
			const answers = await Promise.all([
				patch(`/v1/toolsets/${id}`, { groups: given ? ['g'] : [] }),
				patch(`/v1/mcp/servers/${serverId}`, { name: `S${round}` }),
				...agents.map((agentId, at) => patch(`/v1/agents/${agentId}`, { name: `A${at} ${round}` })),
				...agents.map((agentId, at) =>
					patch(`/v1/agents/${agentId}`, { groups: (round + at) % 3 === 0 ? [] : ['g'] }),
				),
			])
			expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
			const expected = agents.filter((_agent, at) => given && (round + at) % 3 !== 0)
			const rows = await store().db.selectFrom('access_grants').select('agent_id').execute()
			expect(rows.map(({ agent_id }) => agent_id).sort(), `round ${round}`).toEqual(expected.sort())
			const seen = agents.filter((agentId) => app.grants.view.of(agentId, serverId).length > 0)
			expect(seen.sort()).toEqual(expected)
		}
	})
})
