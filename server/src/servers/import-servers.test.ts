import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../access/grants/testing.ts'
import { describeWithStore } from '../platform/database/testing.ts'
import { startEverythingServer, type TestMcpServer } from './testing.ts'

describeWithStore('the import of an mcp.json', (store) => {
	let app: ControlPlane
	let everything: TestMcpServer
	beforeAll(async () => {
		app = await startControlPlane(store())
		everything = await startEverythingServer()
	})
	afterAll(async () => {
		await everything.close()
		await app.close()
	})
	const run = (body: object, token = app.owner.token) =>
		app.request('POST', '/v1/mcp/servers/import', { token, body })
	const secret = 'CANARY-imported-secret'

	it('registers each entry, skips names that exist, and refuses the others with the reason', async () => {
		const { url } = everything
		const mcpServers = {
			Everything: { type: 'http', url, headers: { 'X-Api-Key': secret } },
			Windsurf: { serverUrl: url },
			Gemini: { httpUrl: url, disabled: true },
			Blocked: { url: 'http://169.254.169.254/mcp' },
			// biome-ignore lint/suspicious/noTemplateCurlyInString: editors leave such placeholders in the file.
			Asking: { url, headers: { Authorization: 'Bearer ${input:key}' } },
			Empty: {},
			Odd: 'https://example.org',
			Unknown: { type: 'carrier-pigeon', url },
			Argless: { command: 'npx', args: 'one' },
		}
		const { status, body } = await run({ mcpServers })
		expect(status).toBe(200)
		const outcomes = body.mcp_servers.map((each: { name: string; outcome: string; code: string }) => [
			each.name,
			each.outcome,
			each.code,
		])
		expect(outcomes).toEqual([
			['Everything', 'created', null],
			['Windsurf', 'created', null],
			['Gemini', 'created', null],
			['Blocked', 'refused', 'blocked_address'],
			['Asking', 'refused', 'invalid_request'],
			['Empty', 'refused', 'invalid_request'],
			['Odd', 'refused', 'invalid_request'],
			['Unknown', 'refused', 'invalid_request'],
			['Argless', 'refused', 'invalid_request'],
		])
		expect(JSON.stringify(body)).not.toContain(secret)
		const made = await app.request('GET', `/v1/mcp/servers/${body.mcp_servers[0].id}`, {
			token: app.owner.token,
		})
		expect(made.body).toMatchObject({
			health_status: 'healthy',
			header_names: ['x-api-key'],
			env_names: [],
		})
		expect(JSON.stringify(made.body)).not.toContain(secret)
		const again = await run({ servers: { Everything: { url } }, inputs: [{ id: 'key' }] })
		expect(again.body.mcp_servers).toMatchObject([{ outcome: 'skipped', code: 'name_taken' }])
	})

	it('refuses programs without the right, and imports the rest', async () => {
		const person = await app.register()
		const rights = { token: app.owner.token, body: { stdio: false } }
		await app.request('PATCH', `/v1/workspaces/${person.workspaceId}/rights`, rights)
		const mcpServers = {
			Program: { command: 'npx', args: ['-y', 'tool'], env: { KEY: secret } },
			Remote: { url: everything.url },
		}
		const { body } = await run({ mcpServers }, person.token)
		expect(body.mcp_servers).toMatchObject([
			{ outcome: 'refused', code: 'stdio_not_allowed' },
			{ outcome: 'created', code: null },
		])
		await app.request('PATCH', `/v1/workspaces/${person.workspaceId}/rights`, {
			...rights,
			body: { stdio: true },
		})
		const allowed = await run({ mcpServers }, person.token)
		expect(allowed.body.mcp_servers).toMatchObject([{ outcome: 'created' }, { outcome: 'skipped' }])
		const { id } = allowed.body.mcp_servers[0]
		const { body: program } = await app.request('GET', `/v1/mcp/servers/${id}`, { token: person.token })
		expect(program).toMatchObject({ command: 'npx', env_names: ['KEY'], header_names: [] })
	})

	it('requires exactly one of the two forms', async () => {
		expect((await run({})).status).toBe(400)
		expect((await run({ mcpServers: {}, servers: {} })).status).toBe(400)
		expect((await run({ mcpServers: {} })).body).toEqual({ mcp_servers: [] })
	})
})
