import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner, bearer, make, makePerson, makeStranger, send } from './attack.ts'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-security-'))
const marker = join(directory, 'executed')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const program = { command: '/usr/bin/touch', args: [marker] }

// LiteLLM's test endpoints ran what they were given (CVE-2026-42271, CVE-2026-30623); MCPHub let everybody register (CVE-2026-79748).
describe('a program (stdio)', () => {
	let stranger: string
	beforeAll(async () => {
		stranger = await makeStranger()
	})

	it('is registered by nobody whose workspace an operator did not give the right', async () => {
		const body = { name: 'evil', ...program }
		const refused = await send('/v1/mcp/servers', { body, headers: bearer(stranger) })
		expect([refused.status, refused.body.code]).toEqual([403, 'stdio_not_allowed'])
		for (const role of ['viewer', 'member'])
			expect((await send('/v1/mcp/servers', { body, headers: bearer(await makePerson(role)) })).status).toBe(
				403,
			)
		expect((await send('/v1/mcp/servers', { body })).status).toBe(401)
	})

	it('does not come in by a change of a server that is registered', async () => {
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

	it('is not run by registration, check, list of tools or playground, even with the right', async () => {
		const me = await asOwner('/auth/me')
		await asOwner(`/v1/workspaces/${me.body.workspace.id}/rights`, {
			method: 'PATCH',
			body: { stdio: true },
		})
		const server = await make('/v1/mcp/servers', { name: `program ${Date.now()}`, ...program })
		expect(server).toMatchObject(program)
		await asOwner(`/v1/mcp/servers/${server.id}/health`)
		await asOwner(`/v1/mcp/servers/${server.id}/tools/refresh`, { method: 'POST' })
		await asOwner(`/v1/mcp/servers/${server.id}/tools/x/call`, { body: {} })
		expect(existsSync(marker)).toBe(false)
	})

	it('has no endpoint that tries a configuration before it is saved', async () => {
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
	])('is not given the variable %s', async (name) => {
		const answer = await asOwner('/v1/mcp/servers', {
			body: { name: `env ${name}`, ...program, env: { [name]: '/tmp/evil' } },
		})
		expect(answer.status).toBeOneOf([400, 403])
	})

	it('has no endpoint that runs code (CVE-2026-40217, CVE-2026-46442)', async () => {
		for (const path of [
			'/guardrails/test_custom_code',
			'/v1/guardrails/test',
			'/api/v1/node-custom-function',
			'/v1/code',
			'/v1/eval',
		])
			expect((await asOwner(path, { body: { code: 'process.exit()' } })).status).toBeOneOf([404, 405])
		await make('/v1/agents', { name: `still here ${Date.now()}` })
	})
})
