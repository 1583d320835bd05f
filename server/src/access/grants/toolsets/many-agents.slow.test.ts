import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { closedAddress } from '../../../servers/testing.ts'
import { type ControlPlane, startControlPlane } from '../testing.ts'

describeWithStore('a toolset of 200 agents and 5 servers', (store) => {
	let app: ControlPlane
	const servers: string[] = []
	const agents: string[] = []
	beforeAll(async () => {
		app = await startControlPlane(store())
		for (let made = 0; made < 5; made += 1)
			servers.push((await app.create('/v1/mcp/servers', { name: `S${made}`, url: await closedAddress() })).id)
		for (let made = 0; made < 200; made += 1)
			agents.push((await app.create('/v1/agents', { name: `A${made}`, groups: ['all'] })).id)
	})
	afterAll(() => app.close())

	it('changes in a second, views included', async () => {
		const { id } = await app.create('/v1/toolsets', { name: 'Everyone' })
		const timed = async (change: object) => {
			const startedMs = performance.now()
			const { status } = await app.request('PATCH', `/v1/toolsets/${id}`, {
				token: app.owner.token,
				body: change,
			})
			expect(status).toBe(200)
			return performance.now() - startedMs
		}
		const tools = (names: string[]) => servers.map((server_id) => ({ server_id, tools: names }))
		const grants = () =>
			agents.flatMap((agent) => servers.flatMap((server) => app.grants.view.of(agent, server)))
		expect(await timed({ groups: ['all'], tools: tools(['echo', 'add']) })).toBeLessThan(5000)
		expect(grants().map(({ allowedTools }) => allowedTools)).toEqual(
			Array(1000).fill(new Set(['echo', 'add'])),
		)
		expect(await timed({ tools: tools(['fail']) })).toBeLessThan(5000)
		expect(grants().map(({ allowedTools }) => allowedTools)).toEqual(Array(1000).fill(new Set(['fail'])))
		expect(await timed({ groups: [] })).toBeLessThan(5000)
		expect(grants()).toEqual([])
	})
})
