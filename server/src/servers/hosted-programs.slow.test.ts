import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../access/grants/testing.ts'
import { describeWithStore } from '../platform/database/testing.ts'
import { scriptOf } from './programs/testing.ts'

const program = resolve(import.meta.dirname, './programs/testing-program.mjs')

const inOneLine = (script: string) =>
	`eval(Buffer.from('${Buffer.from(script).toString('base64')}', 'base64').toString())`
const askingProgram = `
	let id, roots
	const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
	require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
		const message = JSON.parse(line)
		if (message.method === 'initialize') {
			roots = message.params.capabilities.roots
			const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }
			say({ id: message.id, result })
		} else if (message.method === 'tools/list') {
			id = message.id
			if (roots) say({ id: 'q', method: 'roots/list' })
			else say({ id, result: { tools: [] } })
		} else if (message.id === 'q') {
			const name = JSON.stringify(message.result)
			say({ id, result: { tools: [{ name, inputSchema: { type: 'object' } }] } })
		} else if (message.method === 'server/discover') say({ id: message.id, error: { code: -32601, message: '' } })
	})`

describeWithStore('the program of a hosted server', (store) => {
	let app: ControlPlane
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-hosted-'))
	beforeAll(async () => {
		app = await startControlPlane(store(), { hosting: { sandbox: null, directory } })
		const rights = { token: app.owner.token, body: { stdio: true } }
		await app.request('PATCH', `/v1/workspaces/${app.owner.workspaceId}/rights`, rights)
	})
	afterAll(async () => {
		await app.close()
		rmSync(directory, { recursive: true, force: true })
	})
	const request = (method: string, path: string, body?: object, token = app.owner.token) =>
		app.request(method, path, { token, ...(body && { body }) })
	let programs = 0
	const add = async (fields: object = {}) => {
		programs += 1
		const body = { name: `Program ${programs}`, command: 'node', args: [program], ...fields }
		const { id } = await app.create('/v1/mcp/servers', body)
		return `/v1/mcp/servers/${id}`
	}
	const accept = async (path: string) => {
		const { sentence } = { sentence: (await request('GET', `${path}/program`)).body.acceptance_sentence }
		return request('POST', `${path}/program/acceptance`, { sentence })
	}

	it('without a sandbox starts only after an owner accepted that in writing', async () => {
		const path = await add({ env: { API_KEY: 'CANARY-program' } })
		const health = await request('GET', `${path}/health`)
		expect(health.body.error).toMatch(/no sandbox here.*no owner has accepted/)
		expect((await request('POST', `${path}/program/acceptance`, { sentence: 'yes' })).status).toBe(400)
		const accepted = await accept(path)
		expect(accepted.body).toMatchObject({
			sandbox: 'none',
			accepted_without_sandbox: { by: app.owner.email },
		})
		expect((await request('GET', `${path}/health`)).body).toMatchObject({
			...{ status: 'healthy', protocol_version: '2025-11-25', error: null },
		})
		const { tools } = (await request('GET', `${path}/tools`)).body
		expect(tools.map(({ name }: { name: string }) => name)).toContain('echo')
		// Discovery as a client with capabilities uses another process, which ends after the response.
		const shown = async () => (await request('GET', `${path}/program`)).body
		const running = { state: 'running', starts: 2, processes: [{ shared: true }] }
		await expect.poll(shown, { timeout: 10_000 }).toMatchObject(running)
		const logs = await request('GET', `${path}/logs`)
		expect(logs.text).toContain('notifications/initialized {} [redacted]')
		expect(logs.text).not.toContain('CANARY')
		const audit = await request('GET', '/v1/audit?action=servers.accept-without-sandbox')
		expect(audit.text).toContain('runs without a sandbox, with everything')
	})

	it('loses the acceptance with any change of what it runs, or by withdrawal, and then stops', async () => {
		const path = await add({ env: { API_KEY: 'one' } })
		await accept(path)
		expect((await request('GET', `${path}/health`)).body.status).toBe('healthy')
		const changes = [
			{ args: [program, '--other'] },
			{ env: { API_KEY: 'two' } },
			{ env: { API_KEY: 'two', PYTHONWARNINGS: 'all:0:antigravity.x:0:0', BROWSER: 'sh -c id' } },
			{ command: process.execPath },
		]
		for (const change of changes) {
			const old = (await request('GET', `${path}/program`)).body
			expect((await request('PATCH', path, change)).status).toBe(200)
			const now = (await request('GET', `${path}/program`)).body
			expect(now).toMatchObject({ accepted: null, accepted_without_sandbox: null })
			expect(now.fingerprint).not.toBe(old.fingerprint)
			expect((await request('GET', `${path}/health`)).body.status).toBe('unhealthy')
			// The sentence contains the fingerprint for which it was read.
			const stale = { sentence: old.acceptance_sentence }
			expect((await request('POST', `${path}/program/acceptance`, stale)).status).toBe(400)
			await accept(path)
		}
		expect((await request('GET', `${path}/health`)).body.status).toBe('healthy')
		expect((await request('DELETE', `${path}/program/acceptance`)).status).toBe(204)
		const state = async () => (await request('GET', `${path}/program`)).body.state
		await expect.poll(state, { timeout: 10_000 }).toBe('stopped')
	})

	it('can be accepted only by owners, and its logs can be read only by admins', async () => {
		const path = await add()
		const admin = await app.memberOf('admin')
		const viewer = await app.memberOf('viewer')
		const sentence = (await request('GET', `${path}/program`)).body.acceptance_sentence
		const asAdmin = await request('POST', `${path}/program/acceptance`, { sentence }, admin.token)
		expect(asAdmin).toMatchObject({ status: 403, body: { code: 'forbidden' } })
		const scoped = await app.create('/v1/keys', { name: 'programs', scopes: ['programs:write'] })
		const asKey = await request('POST', `${path}/program/acceptance`, { sentence }, scoped.key)
		expect(asKey).toMatchObject({ status: 403, body: { code: 'forbidden' } })
		expect((await request('GET', `${path}/logs`, undefined, viewer.token)).status).toBe(403)
		expect((await request('GET', `${path}/logs`, undefined, admin.token)).status).toBe(200)
	})

	it('may reach hosts that are listed by name', async () => {
		const path = await add()
		const set = await request('PATCH', `${path}/program`, {
			allowed_hosts: ['api.example.com', '*.example.org:8443'],
		})
		expect(set.body.allowed_hosts).toEqual(['api.example.com', '*.example.org:8443'])
		expect((await request('PATCH', `${path}/program`, set.body)).status).toBe(200)
		for (const wrong of ['http://api.example.com', '10.0.0.0/8', '*', 'a b', ''])
			expect((await request('PATCH', `${path}/program`, { allowed_hosts: [wrong] })).status).toBe(400)
		expect(
			(await request('PATCH', `${path}/program`, { state: 'stopped', sandbox: 'bubblewrap' })).status,
		).toBe(400)
	})

	it('is restarted, and its log says so', async () => {
		const path = await add()
		await accept(path)
		await request('GET', `${path}/health`)
		const before = (await request('GET', `${path}/program`)).body
		expect(before.limits).toEqual({ memory_bytes: 1024 ** 3, processes: 256, idle_ms: 300_000 })
		expect((await request('POST', `${path}/program/restart`)).status).toBe(202)
		const pid = async () => (await request('GET', `${path}/program`)).body.processes[0]?.pid
		await expect.poll(pid, { timeout: 10_000 }).not.toBe(before.processes[0].pid)
		expect((await request('GET', `${path}/health`)).body.status).toBe('healthy')
		const log = (await request('GET', `${path}/logs`)).text
		expect(log.match(/The program started/g)?.length).toBeGreaterThanOrEqual(2)
		expect(log).toContain('was stopped')
		await request('PATCH', path, { status: 'inactive' })
		expect((await request('POST', `${path}/program/restart`)).status).toBe(409)
	})

	it('gets responses to its requests before it lists its tools to a client with capabilities', async () => {
		const path = await add({ command: 'node', args: ['-e', inOneLine(askingProgram)] })
		await accept(path)
		const { tools } = (await request('POST', `${path}/tools/refresh`)).body
		expect(tools.map(({ name }: { name: string }) => name)).toEqual(['{"roots":[]}'])
	})

	it('does not exist for a server with a URL', async () => {
		const { id } = await app.create('/v1/mcp/servers', { name: 'Remote', url: 'http://127.0.0.1:1/mcp' })
		for (const part of ['program', 'logs'])
			expect((await request('GET', `/v1/mcp/servers/${id}/${part}`)).status).toBe(404)
	})

	it('ends at once when the server is disabled, deleted or loses its right', async () => {
		const path = await add({ args: [scriptOf('@modelcontextprotocol/server-everything'), 'stdio'] })
		await accept(path)
		expect((await request('GET', `${path}/health`)).body.status).toBe('healthy')
		await request('PATCH', path, { status: 'inactive' })
		const state = async () => (await request('GET', `${path}/program`)).body.state
		await expect.poll(state, { timeout: 10_000 }).toBe('stopped')
		await request('PATCH', path, { status: 'active' })
		expect((await request('GET', `${path}/health`)).body.status).toBe('healthy')
		const { pid } = (await request('GET', `${path}/program`)).body.processes[0]
		expect((await request('DELETE', path)).status).toBe(204)
		expect(() => process.kill(pid, 0)).toThrow('ESRCH')
	})

	it('ends with the workspace, and so do its files', async () => {
		const { token, workspaceId } = await app.register()
		await request('PATCH', `/v1/workspaces/${workspaceId}/rights`, { stdio: true })
		const body = { name: 'P', command: 'node', args: [program] }
		const { id } = (await request('POST', '/v1/mcp/servers', body, token)).body
		const { acceptance_sentence: sentence } = (
			await request('GET', `/v1/mcp/servers/${id}/program`, undefined, token)
		).body
		await request('POST', `/v1/mcp/servers/${id}/program/acceptance`, { sentence }, token)
		expect((await request('GET', `/v1/mcp/servers/${id}/health`, undefined, token)).body.status).toBe(
			'healthy',
		)
		expect(existsSync(join(directory, id))).toBe(true)
		const { name } = (await request('GET', `/v1/workspaces/${workspaceId}`, undefined, token)).body
		const deleting = `/v1/workspaces/${workspaceId}?confirm=${encodeURIComponent(name)}`
		expect((await request('DELETE', deleting, undefined, token)).status).toBe(204)
		await expect.poll(() => existsSync(join(directory, id)), { timeout: 10_000 }).toBe(false)
	})
})
