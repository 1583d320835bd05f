import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { asOwner, bearer, make, makePerson, makeStranger, send } from './attack.ts'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-security-'))
const marker = join(directory, 'executed')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const program = { command: '/usr/bin/touch', args: [marker] }
/** Writes to its home folder, the only folder that a program can write to both with and without a sandbox. */
const tracing = { command: '/bin/sh', args: ['-c', 'touch "$HOME/executed"'] }
const homeOf = (id: string) => join(inject('program').dataDir, 'programs', id, 'home')

// LiteLLM's test endpoints ran the configuration that they received (CVE-2026-42271, CVE-2026-30623). Every user could register
// programs at MCPHub (CVE-2026-79748) and LibreChat (CVE-2026-22252), and at MCPJam's inspector anyone without a credential
// (CVE-2026-23744).
describe('a program (stdio)', () => {
	let stranger: string
	beforeAll(async () => {
		stranger = await makeStranger()
	})

	it('cannot be registered in a workspace that an operator has not allowed to run programs', async () => {
		const body = { name: 'evil', ...program }
		const refused = await send('/v1/mcp/servers', { body, headers: bearer(stranger) })
		expect([refused.status, refused.body.code]).toEqual([403, 'stdio_not_allowed'])
		for (const role of ['viewer', 'member'])
			expect((await send('/v1/mcp/servers', { body, headers: bearer(await makePerson(role)) })).status).toBe(
				403,
			)
		expect((await send('/v1/mcp/servers', { body })).status).toBe(401)
	})

	it('cannot be added by changing a registered server', async () => {
		const server = await send('/v1/mcp/servers', {
			body: { name: 's', url: 'http://127.0.0.1:9/mcp' },
			headers: bearer(stranger),
		})
		for (const body of [
			program,
			{ transport_type: 'stdio', ...program },
			{ ...program, url: 'stdio:x' },
			{ configuration: { command: '/usr/bin/touch', args: [marker] } },
		])
			for (const method of ['PATCH', 'PUT']) {
				const answer = await send(`/v1/mcp/servers/${server.body.id}`, {
					method,
					body: { name: 's', ...body },
					headers: bearer(stranger),
				})
				if (!('configuration' in body)) expect(answer.status).toBeGreaterThanOrEqual(400)
			}
		const { body } = await send(`/v1/mcp/servers/${server.body.id}`, { headers: bearer(stranger) })
		expect(body).toMatchObject({ command: null, args: [], transport_type: 'http' })
	})

	// Claude Code started the servers of a folder before the user trusted the folder (CVE-2025-59536).
	it('is not run before it is accepted: not by registration, health check, tool list or playground', async () => {
		const me = await asOwner('/auth/me')
		await asOwner(`/v1/workspaces/${me.body.workspace.id}/rights`, {
			method: 'PATCH',
			body: { stdio: true },
		})
		const server = await make('/v1/mcp/servers', { name: `program ${Date.now()}`, ...tracing })
		expect(server).toMatchObject(tracing)
		const path = `/v1/mcp/servers/${server.id}`
		await asOwner(`${path}/health`)
		await asOwner(`${path}/tools/refresh`, { method: 'POST' })
		await asOwner(`${path}/tools/x/call`, { body: {} })
		await asOwner(`${path}/program/restart`, { method: 'POST' })
		await asOwner(`${path}/health`)
		expect(existsSync(homeOf(server.id)) ? readdirSync(homeOf(server.id)) : []).toEqual([])
		const before = await asOwner(`${path}/program`)
		expect(before.body).toMatchObject({ starts: 0, accepted: null })
		// Once it is accepted, the same program creates its file, which proves that the check above can fail.
		const { acceptance_sentence: sentence } = before.body
		expect((await asOwner(`${path}/program/acceptance`, { body: { sentence } })).status).toBe(200)
		await asOwner(`${path}/health`)
		await expect.poll(() => existsSync(join(homeOf(server.id), 'executed'))).toBe(true)
	})

	// Cursor continued to trust a server whose command was changed after it had been accepted (CVE-2025-54136).
	it('is not run if it differs from the accepted program', async () => {
		const harmless = { command: '/bin/sh', args: ['-c', 'true'] }
		const { id } = await make('/v1/mcp/servers', { name: `swapped ${Date.now()}`, ...harmless })
		const path = `/v1/mcp/servers/${id}`
		const { acceptance_sentence: sentence } = (await asOwner(`${path}/program`)).body
		expect((await asOwner(`${path}/program/acceptance`, { body: { sentence } })).status).toBe(200)
		await asOwner(path, { method: 'PATCH', body: { args: tracing.args } })
		for (const ask of [`${path}/health`, `${path}/tools`]) await asOwner(ask)
		await asOwner(`${path}/tools/refresh`, { method: 'POST' })
		expect((await asOwner(`${path}/program`)).body.accepted).toBeNull()
		expect(existsSync(join(homeOf(id), 'executed'))).toBe(false)
	})

	it('cannot be changed with a key that has the default scopes', async () => {
		const server = await make('/v1/mcp/servers', { name: `owned ${Date.now()}`, ...tracing })
		const { key } = await make('/v1/keys', { name: 'default scopes' })
		const path = `/v1/mcp/servers/${server.id}`
		const asKey = (to: string, attack: object) => send(to, { ...attack, headers: bearer(key) })
		const tries = [
			await asKey('/v1/mcp/servers', { body: { name: 'by key', ...tracing } }),
			...(await Promise.all(
				[{ command: '/bin/bash' }, { args: ['-c', 'id'] }, { env: { API_KEY: 'x' } }].map((body) =>
					asKey(path, { method: 'PATCH', body }),
				),
			)),
			await asKey(path, { method: 'PUT', body: { name: server.name, command: '/bin/bash' } }),
			await asKey(`${path}/program`, { method: 'PATCH', body: { allowed_hosts: ['evil.example'] } }),
			await asKey(`${path}/program/acceptance`, { body: { sentence: 'x' } }),
			await asKey(`${path}/program/install`, { method: 'POST' }),
		]
		for (const { status, body } of tries) {
			expect([status, body.code]).toEqual([403, 'forbidden'])
			expect(body.detail).toContain('programs:write')
		}
	})

	it('has no endpoint that tests a configuration before it is saved', async () => {
		for (const path of [
			'/mcp-rest/test/connection',
			'/mcp-rest/test/tools/list',
			'/v1/mcp/servers/test',
			'/v1/mcp/test',
			'/v1/mcp/servers/preview',
		])
			expect((await asOwner(path, { body: program })).status).toBeOneOf([404, 405])
		expect(existsSync(marker)).toBe(false)
	})

	it.each([
		'LD_PRELOAD',
		'LD_LIBRARY_PATH',
		'DYLD_INSERT_LIBRARIES',
		'NODE_OPTIONS',
		'node_options',
		'NODE_PATH',
		'PYTHONPATH',
		'PYTHONSTARTUP',
		'PERL5OPT',
		'RUBYOPT',
		'BASH_ENV',
		'ENV',
		'PATH',
		'GIT_SSH_COMMAND',
		'JAVA_TOOL_OPTIONS',
		'A=B',
		'A B',
		'',
	])('cannot be given the variable %s', async (name) => {
		const answer = await asOwner('/v1/mcp/servers', {
			body: { name: `env ${name}`, ...program, env: { [name]: '/tmp/evil' } },
		})
		expect(answer.status).toBeOneOf([400, 403])
	})

	it.each(['PYTHONWARNINGS', 'BROWSER', 'GCONV_PATH', 'PIP_INDEX_URL', 'NPM_CONFIG_REGISTRY', 'HTTPS_PROXY'])(
		'can be given the variable %s only by an owner',
		async (name) => {
			const admin = bearer(await makePerson('admin'))
			const server = await make('/v1/mcp/servers', { name: `of ${name} ${Date.now()}`, ...tracing })
			const change = (env: object, headers?: Record<string, string>) =>
				asOwner(`/v1/mcp/servers/${server.id}`, {
					method: 'PATCH',
					body: { env },
					...(headers && { headers }),
				})
			const refused = await change({ [name]: 'evil' }, admin)
			expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([400, `/env/${name}`])
			expect((await change({ API_KEY: 'x', GITHUB_TOKEN: 'y' }, admin)).status).toBe(200)
			expect((await change({ [name]: 'wanted' })).status).toBe(200)
			// An admin may send the owner's value back unchanged.
			expect((await change({ [name]: 'wanted', API_KEY: 'z' }, admin)).status).toBe(200)
			expect((await change({ [name]: 'evil', API_KEY: 'z' }, admin)).status).toBe(400)
		},
	)

	// Langflow ran code in order to check it (CVE-2025-3248) and built flows from strangers (CVE-2026-33017). Flowise ran the settings
	// of a server as code (CVE-2025-59528) and started programs for strangers (CVE-2025-8943).
	it('has no endpoint that runs code (CVE-2026-40217, CVE-2026-46442, CVE-2026-53710)', async () => {
		for (const path of [
			'/guardrails/test_custom_code',
			'/v1/guardrails/test',
			'/api/v1/node-custom-function',
			'/v1/code',
			'/v1/eval',
			'/api/v1/validate/code',
			'/api/v1/build_public_tmp/x/flow',
			'/api/v1/node-load-method/customMCP',
		])
			for (const ask of [asOwner, send])
				expect((await ask(path, { body: { code: 'process.exit()' } })).status).toBeOneOf([404, 405])
		await make('/v1/agents', { name: `still here ${Date.now()}` })
	})
})
