import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../access/grants/testing.ts'
import { hasFormOf } from '../accounts/events/testing.ts'
import { describeWithStore } from '../platform/database/testing.ts'
import { startModernServer } from './testing.ts'

describeWithStore('health checks in the background', (store) => {
	const ending: (() => Promise<void>)[] = []
	afterEach(async () => {
		for (const end of ending.splice(0).reverse()) await end()
	})

	const start = async (checkIntervalMs: number): Promise<ControlPlane> => {
		const app = await startControlPlane(store(), { checkIntervalMs })
		ending.push(app.close)
		return app
	}
	const until = async (isSo: () => boolean) => {
		for (let turn = 0; turn < 200 && !isSo(); turn += 1) await new Promise((done) => setTimeout(done, 50))
		expect(isSo()).toBe(true)
	}

	it('notice by themselves that a server went down, recovered and has other tools', async () => {
		const app = await start(100)
		const server = await startModernServer()
		const { id } = await app.create('/v1/mcp/servers', { name: 'Watched', url: server.url })
		expect(app.servers.view.get(id)?.healthStatus).toBe('healthy')
		await app.servers.start()
		app.jobs.start()
		await server.close()
		await until(() => app.servers.view.get(id)?.healthStatus === 'unhealthy')
		const again = await startModernServer({
			port: Number(new URL(server.url).port),
			configure: (mcp) => mcp.registerTool('extra', { description: 'new' }, async () => ({ content: [] })),
		})
		ending.push(again.close)
		await until(() => app.servers.view.get(id)?.healthStatus === 'healthy')
		expect(app.servers.view.get(id)?.tools.map(({ name }) => name)).toContain('extra')
		const sent = await store()
			.db.selectFrom('events')
			.select('data')
			.where('type', '=', 'server.health_changed')
			.where('workspace_id', '=', app.owner.workspaceId)
			.orderBy('seq')
			.execute()
		const changes = sent.map(({ data }) => JSON.parse(data)).map(({ from, to }) => [from, to])
		expect(changes[0]?.[0]).toBe('healthy')
		expect(changes.slice(1).map(([from]) => from)).toEqual(changes.slice(0, -1).map(([, to]) => to))
		expect(changes.map(([, to]) => to)).toContain('unhealthy')
		expect(sent.every(({ data }) => hasFormOf('server.health_changed', JSON.parse(data)))).toBe(true)
	})

	it('skip inactive servers, and run at once when one is activated again', async () => {
		const app = await start(100)
		const server = await startModernServer()
		ending.push(server.close)
		const { id } = await app.create('/v1/mcp/servers', { name: 'Resting', url: server.url })
		const set = (status: string) =>
			app.request('PATCH', `/v1/mcp/servers/${id}`, { token: app.owner.token, body: { status } })
		await set('inactive')
		const seen = server.requests.length
		await app.servers.start()
		app.jobs.start()
		await new Promise((done) => setTimeout(done, 400))
		expect(server.requests.length).toBe(seen)
		expect((await set('active')).body.health_status).toBe('unknown')
		await until(() => app.servers.view.get(id)?.healthStatus === 'healthy')
	})

	it('run once more if a server announces changes during a check that has listed its tools already', async () => {
		const app = await start(60_000)
		const names = ['first']
		const gate = { lists: 0, open: Promise.resolve() }
		const server = createHttpServer(async (request, response) => {
			const chunks: Buffer[] = []
			for await (const chunk of request) chunks.push(chunk as Buffer)
			if (request.method !== 'POST') return response.writeHead(405).end()
			const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
			if (id === undefined) return response.writeHead(202).end()
			const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }))
			const results: Record<string, object> = {
				initialize: {
					protocolVersion: '2025-11-25',
					capabilities: { tools: {} },
					serverInfo: { name: 'n', version: '1' },
				},
				'tools/list': { tools },
			}
			const result = results[method]
			if (method === 'tools/list') {
				gate.lists += 1
				await gate.open
			}
			const answer = result ? { result } : { error: { code: -32601, message: 'Not here' } }
			response.writeHead(200, { 'content-type': 'application/json' })
			response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
		})
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
		ending.push(async () => void server.close())
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
		const { id } = await app.create('/v1/mcp/servers', { name: 'Growing', url })
		const checks = () =>
			app.request('GET', `/v1/mcp/servers/${id}/health/history`, { token: app.owner.token })
		const before = (await checks()).body.health_checks.length

		const { promise, resolve: open } = Promise.withResolvers<void>()
		Object.assign(gate, { lists: 0, open: promise })
		const running = app.servers.refresh(id)
		await until(() => gate.lists === 1)
		names.push('second')
		const following = [app.servers.refresh(id), app.servers.refresh(id)]
		open()
		await Promise.all([running, ...following])
		expect(app.servers.view.get(id)?.tools.map(({ name }) => name)).toEqual(['first', 'second'])
		expect((await checks()).body.health_checks.length - before).toBe(2)

		const later = Promise.withResolvers<void>()
		Object.assign(gate, { lists: 0, open: later.promise })
		const scheduled = app.servers.refresh(id)
		await until(() => gate.lists === 1)
		names.push('third')
		const { token } = app.owner
		const asked = app.request('POST', `/v1/mcp/servers/${id}/tools/refresh`, { token, body: {} })
		await new Promise((done) => setTimeout(done, 200))
		later.resolve()
		await scheduled
		const tools = (await asked).body.tools as { name: string }[]
		expect(tools.map(({ name }) => name)).toEqual(['first', 'second', 'third'])
	})

	it('of a server that was given another URL do not report what a check before it found', async () => {
		const app = await start(60_000)
		const [before, after] = [await startModernServer(), await startModernServer()]
		ending.push(after.close)
		const { id } = await app.create('/v1/mcp/servers', { name: 'Moved', url: before.url })
		await before.close()
		// It ends the connection that was kept.
		await app.servers.refresh(id)
		const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
		const { promise: gate, resolve: open } = Promise.withResolvers<void>()
		const silent = createServer((socket) => {
			ask()
			void gate.then(() => socket.destroy())
		})
		await new Promise<void>((done) => silent.listen(Number(new URL(before.url).port), '127.0.0.1', done))
		ending.push(async () => void silent.close())
		const running = app.servers.refresh(id)
		await asked
		const { token } = app.owner
		await app.request('PATCH', `/v1/mcp/servers/${id}`, { token, body: { url: after.url } })
		const refreshed = app.request('POST', `/v1/mcp/servers/${id}/tools/refresh`, { token, body: {} })
		// The request reads the server first, and then finds the running check.
		await new Promise((done) => setTimeout(done, 200))
		open()
		await running
		expect((await refreshed).status).toBe(200)
	})

	it('end with the program, even in the middle of a check', async () => {
		const app = await startControlPlane(store(), { checkIntervalMs: 50 })
		const server = await startModernServer()
		await app.create('/v1/mcp/servers', { name: 'Hanging', url: server.url })
		await server.close()
		let reached = false
		const silent = createServer(() => {
			reached = true
		}).listen(Number(new URL(server.url).port), '127.0.0.1')
		await app.servers.start()
		app.jobs.start()
		await until(() => reached)
		const started = performance.now()
		await app.close()
		// The check alone would wait 5 s for its response.
		expect(performance.now() - started).toBeLessThan(4500)
		silent.close()
	})
})
