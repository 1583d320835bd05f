import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../access/grants/testing.ts'
import { describeWithStore } from '../platform/database/testing.ts'
import { newId } from '../platform/ids.ts'
import { deleteOldChecks, deleteSurplusChecks, insertCheck } from './check-repository.ts'
import { nextCheckInMs } from './check-server.ts'
import { closedAddress, startModernServer } from './testing.ts'

describeWithStore('the history of health checks', (store) => {
	let app: ControlPlane
	beforeAll(async () => {
		app = await startControlPlane(store())
	})
	afterAll(() => app.close())
	const get = (path: string, token = app.owner.token) => app.request('GET', path, { token })
	const check = (serverId: string, at: number) => ({
		...{ id: newId(at), server_id: serverId, workspace_id: app.owner.workspaceId, at },
		...{ status: 'healthy', latency_ms: 1, error: null, protocol_version: null, tools: 1 },
	})

	it('contains every check, newest first, with its result', async () => {
		const server = await startModernServer()
		const { id } = await app.create('/v1/mcp/servers', { name: 'Remembered', url: server.url })
		await server.close()
		await get(`/v1/mcp/servers/${id}/health`)
		const { body } = await get(`/v1/mcp/servers/${id}/health/history`)
		expect(body.next_cursor).toBeNull()
		expect(body.health_checks).toMatchObject([
			{ status: 'unhealthy', latency_ms: null, error: 'The connection was refused.', tools: null },
			{ status: 'degraded', error: 'The connection was refused.' },
			{ status: 'healthy', error: null, protocol_version: '2026-07-28', tools: 4 },
		])
		expect(body.health_checks[2].latency_ms).toBeGreaterThan(0)
		const page = await get(`/v1/mcp/servers/${id}/health/history?limit=2`)
		const rest = await get(`/v1/mcp/servers/${id}/health/history?limit=2&cursor=${page.body.next_cursor}`)
		expect([...page.body.health_checks, ...rest.body.health_checks]).toEqual(body.health_checks)
		expect((await get(`/v1/mcp/servers/${id}/health/history?cursor=x`)).status).toBe(400)
		const stranger = await app.register()
		expect((await get(`/v1/mcp/servers/${id}/health/history`, stranger.token)).status).toBe(404)
	})

	it('keeps at most 5,000 checks of a server, from the last 30 days', async () => {
		const { id } = await app.create('/v1/mcp/servers', { name: 'Long', url: await closedAddress() })
		const nowMs = Date.now()
		await app.mutate(async (tx) => {
			for (let age = 5003; age > 0; age -= 1) await insertCheck(tx, check(id, nowMs - age * 1000))
			await deleteSurplusChecks(tx, app.owner.workspaceId, id)
		})
		const count = async () => {
			const rows = store().db.selectFrom('health_checks').select('id').where('server_id', '=', id)
			return (await rows.execute()).length
		}
		expect(await count()).toBe(5000)
		expect(await deleteOldChecks(store().db, nowMs - 10_500)).toBe(false)
		expect(await count()).toBe(11)
	})

	it('checks an unreachable server less and less often, down to every ten minutes', () => {
		const waits = (failures: number) => Array.from({ length: 50 }, () => nextCheckInMs(60_000, failures))
		const within = (failures: number, least: number, most: number) => {
			expect(Math.min(...waits(failures))).toBeGreaterThanOrEqual(least)
			expect(Math.max(...waits(failures))).toBeLessThanOrEqual(most)
		}
		within(0, 54_000, 65_000)
		within(1, 15_000, 18_001)
		within(2, 54_000, 65_000)
		within(4, 216_000, 260_000)
		within(50, 540_000, 650_000)
		expect(new Set(waits(0)).size).toBeGreaterThan(10)
	})
})
