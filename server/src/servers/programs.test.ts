import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../access/grants/testing.ts'
import { describeWithStore } from '../platform/database/testing.ts'

describeWithStore('programs as MCP servers (stdio)', (store) => {
	let app: ControlPlane
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-programs-'))
	const trace = join(directory, 'ran')
	/** Creates a file if it is ever run. */
	const program = { command: 'touch', args: [trace, '--', 'a long argument '.repeat(40)] }
	beforeAll(async () => {
		app = await startControlPlane(store())
		app.jobs.start()
	})
	afterAll(async () => {
		await app.close()
		rmSync(directory, { recursive: true, force: true })
	})
	const request = (method: string, path: string, body?: object, token = app.owner.token) =>
		app.request(method, path, { token, ...(body && { body }) })
	const allow = async (workspaceId: string, stdio: boolean) =>
		expect((await request('PATCH', `/v1/workspaces/${workspaceId}/rights`, { stdio })).status).toBe(200)

	it('are refused if the workspace lacks the right, also in changes', async () => {
		const person = await app.register()
		await allow(person.workspaceId, false)
		const refused = await request('POST', '/v1/mcp/servers', { name: 'P', ...program }, person.token)
		expect(refused).toMatchObject({ status: 403, body: { code: 'stdio_not_allowed' } })
		expect(refused.body.detail).toContain('operator')
		await allow(person.workspaceId, true)
		const made = await request('POST', '/v1/mcp/servers', { name: 'P', ...program }, person.token)
		expect(made.status).toBe(201)
		await allow(person.workspaceId, false)
		const path = `/v1/mcp/servers/${made.body.id}`
		for (const change of [{ command: 'sh' }, { args: [] }, { env: { A: '1' } }])
			expect((await request('PATCH', path, change, person.token)).body.code).toBe('stdio_not_allowed')
		const put = await request('PUT', path, { name: 'P', command: 'sh' }, person.token)
		expect(put.body.code).toBe('stdio_not_allowed')
		const { body } = await request('GET', path, undefined, person.token)
		expect((await request('PATCH', path, body, person.token)).status).toBe(200)
	})

	it('are stored unchanged, shown without their environment, and not run outside of a sandbox', async () => {
		await allow(app.owner.workspaceId, true)
		const secret = 'CANARY-program-secret'
		const made = await app.create('/v1/mcp/servers', {
			name: 'Program',
			...program,
			env: { API_KEY: secret },
		})
		expect(made).toMatchObject({
			...program,
			transport_type: 'stdio',
			hosting_mode: 'hosted',
			status: 'active',
			health_status: 'unhealthy',
			endpoint_url: 'http://127.0.0.1:7777/mcp/program',
		})
		const path = `/v1/mcp/servers/${made.id}`
		const health = await request('GET', `${path}/health`)
		expect(health).toMatchObject({ status: 200, body: { status: 'unhealthy' } })
		expect(health.body.error).toMatch(/The program (ended|was not started)/)
		expect((await request('POST', `${path}/tools/refresh`)).body.code).toBe('upstream_unreachable')
		const changed = await request('PATCH', path, { args: ['other'], env: { API_KEY: `${secret}-2` } })
		expect(changed.body.args).toEqual(['other'])
		await new Promise((done) => setTimeout(done, 100))
		expect(existsSync(trace)).toBe(false)
		const row = await store().db.selectFrom('mcp_servers').selectAll().where('id', '=', made.id).execute()
		const audit = (await request('GET', '/v1/audit')).text
		expect(JSON.stringify([made, changed.body, row, audit])).not.toContain('CANARY')
		expect(audit).toContain(trace)
	})

	it('refuse variables that load other code, and combinations with a URL', async () => {
		await allow(app.owner.workspaceId, true)
		const wrong = [
			{ command: 'x', env: { LD_PRELOAD: '/tmp/a.so' } },
			{ command: 'x', env: { NODE_OPTIONS: '--require /tmp/a.js' } },
			{ command: 'x', env: { 'a b': '1' } },
			{ command: 'x', url: 'http://127.0.0.1:1/mcp' },
			{ command: 'x', transport_type: 'http' },
			{ command: 'x', headers: { a: 'b' } },
			{ command: 'x\ny' },
			{ transport_type: 'stdio' },
			{ args: ['x'], url: 'http://127.0.0.1:1/mcp' },
		]
		for (const body of wrong)
			expect(await request('POST', '/v1/mcp/servers', { name: 'Wrong', ...body })).toMatchObject({
				status: 400,
				body: { code: 'invalid_request' },
			})
		const { mcp_servers: found } = (await request('GET', '/v1/mcp/servers?transport_type=stdio')).body
		expect(found.map(({ name }: { name: string }) => name)).toEqual(['Program'])
	})
})
