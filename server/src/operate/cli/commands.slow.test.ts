import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	owner,
	type Program,
	removeDataDir,
	startProgram,
} from '../../program/program.testing.ts'
import { startEverythingServer, type TestMcpServer } from '../../servers/testing.ts'
import { unwrap } from '../client/client.ts'
import { CommandLine } from './testing.ts'

const shown = (lines: string) => lines.replaceAll(/ {2,}/g, '  ')

describe('the commands for a running instance', () => {
	const dataDir = newDataDir()
	const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
	let program: Program
	let everything: TestMcpServer
	let cli: CommandLine
	beforeAll(async () => {
		program = await startProgram(dataDir)
		everything = await startEverythingServer()
		cli = new CommandLine({ HOME: home, SIGNALBOX_URL: program.url, SIGNALBOX_KEY: program.token })
		await cli.json(['servers', 'add', 'Small server', everything.url])
		await cli.json(['agents', 'create', 'Reader', '--groups', 'support, eu'])
		await cli.json(['access', 'grant', 'Reader', 'small-server', '--tools', 'echo'])
	})
	afterAll(async () => {
		await everything.close()
		await program.kill('SIGTERM')
		removeDataDir(dataDir)
		rmSync(home, { recursive: true, force: true })
	})
	const lines = async (args: string[], input?: string) => {
		const { code, output, errors } = await cli.run(args, input === undefined ? {} : { input })
		if (code !== 0) throw new Error(errors)
		return shown(output)
	}

	it('servers: list, add, show, refresh, remove', async () => {
		expect(await lines(['servers', 'list'])).toMatch(
			/^SLUG {2}NAME {2}STATUS {2}HEALTH {2}GRANTS {2}ADDRESS {2}TROUBLE\nsmall-server {2}Small server {2}active {2}healthy {2}1 {2}http\S+\n/,
		)
		const added = await lines([
			'servers',
			'add',
			'Second',
			everything.url,
			'--slug',
			'two',
			'--header',
			'X-Key: v',
		])
		expect(added).toBe('Second is registered as two: healthy.\n')
		expect(await lines(['servers', 'show', 'Small server'])).toMatch(
			/Tools \(\d+\)\n {2}echo {2}[\s\S]*Reader \(selected\)/u,
		)
		const { tools, header_names } = await cli.json(['servers', 'show', 'two'])
		expect([tools.length > 5, header_names]).toEqual([true, ['x-key']])
		expect(await lines(['servers', 'refresh', 'two'])).toContain('\n  echo\n')
		expect(await cli.run(['servers', 'remove', 'two'])).toMatchObject({ code: 2, output: '' })
		expect(await lines(['servers', 'remove', 'two', '--yes'])).toBe('Second is deleted.\n')
		expect(await cli.run(['servers', 'remove', 'small-server', '--yes'])).toMatchObject({
			code: 1,
			errors: expect.stringContaining('Agents that still have access to Small server: 1.'),
		})
	})

	it('agents: list, create, show, pause, resume', async () => {
		expect(await lines(['agents', 'list'])).toMatch(/\nReader {2}active {2}eu,support {2}1 {2}never\n/)
		expect(await lines(['agents', 'create', 'Second'])).toMatch(/^Second is created: [0-9a-f-]{36}\n$/)
		expect(await lines(['agents', 'pause', 'Second'])).toBe('Second is paused.\n')
		expect(await cli.json(['agents', 'resume', 'Second'])).toMatchObject({ status: 'active' })
		expect(await lines(['agents', 'show', 'Reader'])).toMatch(/\+ echo {2}The tool is one of those granted/)
		const { effective } = await cli.json(['agents', 'show', 'Reader'])
		expect(effective[0].server.slug).toBe('small-server')
	})

	it('access: grant, list, simulate, revoke', async () => {
		expect(await lines(['access', 'grant', 'Second', 'small-server'])).toBe(
			'Second may use all tools of Small server.\n',
		)
		expect(await lines(['access', 'grant', 'Second', 'small-server', '--tools', 'echo,get-sum'])).toBe(
			'Second may use echo, get-sum of Small server. This replaces all tools.\n',
		)
		const misspelt = ['access', 'grant', 'Second', 'small-server', '--tools', 'echo,get-sun', '--quiet']
		expect(await cli.run(misspelt)).toMatchObject({
			output: '',
			errors: expect.stringMatching(/^Warning: .*get-sun/),
		})
		const both = ['access', 'grant', 'Second', 'small-server', '--tools', 'echo,get-sum']
		expect(await lines(both)).toContain('This replaces echo, get-sun.')
		expect(await lines(both)).toBe('Second may use echo, get-sum of Small server.\n')
		expect(await lines(['access', 'list', 'small-server'])).toMatch(
			/\nSecond {2}enabled {2}echo,get-sum {2}never {2}by hand\n/,
		)
		expect(await lines(['access', 'simulate', 'Second', 'small-server', '--revoke'])).toMatch(/^Of \d+ calls/)
		expect(
			(await cli.json(['access', 'simulate', 'Second', 'small-server', '--tools', 'echo'])).totals,
		).toBeDefined()
		expect(await cli.json(['access', 'revoke', 'Second', 'small-server'])).toEqual({
			agent: 'Second',
			server: 'small-server',
			revoked: true,
		})
		expect((await cli.run(['access', 'revoke', 'Second', 'small-server'])).code).toBe(4)
	})

	it('toolsets: apply and list', async () => {
		const args = ['toolsets', 'apply', 'Basics', '--tools', 'small-server=get-sum', '--groups', 'support']
		expect(await lines(args)).toBe('Basics is created; it reaches 1 agent.\n')
		expect((await cli.json([...args, '--description', 'For all'])).description).toBe('For all')
		expect(await lines(['toolsets', 'list'])).toMatch(/\nBasics {2}support {2}1 {2}small-server=get-sum\n/)
		expect((await cli.run(['toolsets', 'apply', 'Odd', '--tools', 'nothing'])).code).toBe(2)
	})

	it('call: arguments from JSON, a file and standard input, within the grants of an agent', async () => {
		const toolArguments = '{"message":"hello"}'
		const file = join(home, 'arguments.json')
		writeFileSync(file, toolArguments)
		expect(await lines(['call', 'small-server', 'echo', toolArguments])).toBe('Echo: hello\n')
		expect(await lines(['call', 'small-server', 'echo', `@${file}`])).toBe('Echo: hello\n')
		expect(await lines(['call', 'small-server', 'echo', '-', '--agent', 'Reader'], toolArguments)).toBe(
			'Echo: hello\n',
		)
		expect(await cli.json(['call', 'small-server', 'echo', toolArguments])).toMatchObject({ is_error: false })
		const denied = await cli.run(['call', 'small-server', 'get-env', '--agent', 'Reader', '--json'])
		expect([denied.code, JSON.parse(denied.errors).error.code]).toEqual([3, 'tool_not_granted'])
		expect((await cli.run(['call', 'small-server', 'echo', '{}'])).code).toBe(1)
		expect((await cli.run(['call', 'small-server', 'echo', '[1]'])).code).toBe(2)
	})

	it('an unknown name is answered with the names that it may stand for', async () => {
		const errorsOf = async (...args: string[]) => {
			const { code, errors } = await cli.run(args)
			return [code, errors]
		}
		const tools = 'signalbox servers show small-server.\n'
		expect(await errorsOf('call', 'small-server', 'ecko')).toEqual([
			4,
			`Small server has no tool ecko; did you mean echo? See ${tools}`,
		])
		expect(await errorsOf('call', 'small-server', 'sum')).toEqual([
			4,
			`Small server has no tool sum; did you mean get-sum? See ${tools}`,
		])
		expect(await errorsOf('call', 'small-server', 'paint_the_house')).toEqual([
			4,
			`Small server has no tool paint_the_house; see ${tools}`,
		])
		expect(await errorsOf('servers', 'show', 'smal-server')).toEqual([
			4,
			'There is no server smal-server; did you mean small-server or Small server? See signalbox servers list.\n',
		])
		expect(await errorsOf('agents', 'show', 'reeder')).toEqual([
			4,
			'There is no agent reeder; did you mean Reader? See signalbox agents list.\n',
		])
	})

	it('api: any operation, a field of its response, and the message for a mistake', async () => {
		const made = ['api', 'post', '/v1/agents', '-', '--get', 'uuid']
		expect(await lines(made, '{"name":"By hand"}')).toMatch(/^[0-9a-f-]{36}\n$/)
		expect(await lines(['api', 'GET', '/v1/mcp/servers?limit=1', '--get', 'pagination.total'])).toMatch(
			/^\d+\n$/,
		)
		expect(await cli.json(['api', 'GET', '/v1/agents'])).toMatchObject({ agents: expect.any(Array) })
		expect(await cli.run(['api', 'GET', '/v1/agents', '--get', 'nothing'])).toMatchObject({ code: 4 })
		expect(await cli.run(['api', 'GET', '/v1/agents/none'])).toMatchObject({ code: 4, output: '' })
		const toolset = { name: 'Misspelt', tools: [], groups: ['none'] }
		const servers = await cli.json(['servers', 'list'])
		const [{ id }] = servers.mcp_servers
		const body = JSON.stringify({ ...toolset, tools: [{ server_id: id, tools: ['ecko'] }] })
		const warned = await cli.run(['api', 'POST', '/v1/toolsets', body, '--get', 'name'])
		expect(warned).toMatchObject({ output: 'Misspelt\n', errors: expect.stringMatching(/^Warning: .*ecko/) })
		for (const wrong of [
			['LOOK', '/'],
			['GET', 'v1'],
			['POST', '/v1/agents', '{'],
		])
			expect((await cli.run(['api', ...wrong])).code).toBe(2)
	})

	it('tail: shows calls as they are recorded, filtered, as lines or JSON', async () => {
		const follow = async (args: string[]) => {
			const child = cli.start(['tail', '--limit', '1', ...args])
			const exited = new Promise((resolve) => child.on('exit', resolve))
			const seen: string[] = []
			const errors = child.stderr ? text(child.stderr) : ''
			if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => seen.push(line))
			while (child.exitCode === null) {
				await program.api('POST', `/v1/mcp/servers/${server.id}/tools/get-sum/call`, {
					arguments: { a: 1, b: 2 },
				})
				await program.api('POST', `/v1/mcp/servers/${server.id}/tools/echo/call`, {
					arguments: { message: 'x' },
				})
				await new Promise((resolve) => setTimeout(resolve, 100))
			}
			return [await exited, seen, await errors] as const
		}
		const server = await cli.json(['servers', 'show', 'small-server'])
		const [code, [line]] = await follow(['--tool', 'echo', '--server', 'Small server'])
		expect([code, shown(line ?? '')]).toEqual([0, expect.stringMatching(/ms {2}- → Small server {2}echo$/)])
		const [, [json]] = await follow(['--json', '--status', 'ok', '--kind', 'tool_call', '--tool', 'get-sum'])
		expect(JSON.parse(json ?? '')).toMatchObject({ tool: 'get-sum', status: 'ok' })
		const [, [bySlug], quiet] = await follow(['--server', 'small-server', '--tool', 'echo'])
		expect([bySlug, quiet]).toEqual([expect.stringContaining('Small server'), ''])
		for (const limit of ['x', '2.5']) expect((await cli.run(['tail', '--limit', limit])).code).toBe(2)
		expect((await cli.run(['tail', '--status', 'x'])).errors).toContain('Allowed choices are ok, error')
	})

	it('tail: warns of what does not exist, and waits for it', async () => {
		const warningOf = async (...args: string[]) => {
			const child = cli.start(['tail', ...args])
			const [line] = child.stderr ? await once(createInterface({ input: child.stderr }), 'line') : []
			expect(child.exitCode).toBeNull()
			child.kill()
			return line
		}
		expect(await warningOf('--agent', 'Reeder')).toBe(
			'Warning: There is no agent Reeder; did you mean Reader? See signalbox agents list. Waiting for it.',
		)
		expect(JSON.parse(await warningOf('--server', 'nothing', '--json'))).toEqual({
			warning: { message: 'There is no server nothing; see signalbox servers list. Waiting for it.' },
		})
		expect(await warningOf('--server', 'small-server', '--tool', 'ecko')).toContain(
			'Small server has no tool ecko; did you mean echo?',
		)
	})

	it('keys: list and rotate', async () => {
		const { id, key } = await unwrap(program.client.POST('/v1/keys', { body: { name: 'Old' } }))
		expect(await lines(['keys', 'list'])).toMatch(new RegExp(`${id}  Old  active  sk_service_`))
		const rotated = await lines(['keys', 'rotate', id, '--grace', '60'])
		expect(rotated).toMatch(/^sk_service_\w{49}\n$/)
		expect(rotated).not.toContain(key)
		expect((await cli.json(['keys', 'rotate', id])).rotation.state).toBe('pending')
	})

	it('import: names the servers of an mcp.json, and registers them with --apply', async () => {
		const file = join(home, 'mcp.json')
		writeFileSync(
			file,
			JSON.stringify({ mcpServers: { Imported: { url: everything.url }, Odd: {} }, other: 1 }),
		)
		expect(await lines(['import', file])).toContain('+ server Imported\n')
		const done = await cli.run(['import', file, '--apply', '--yes'])
		expect([done.code, done.output]).toEqual([
			1,
			'created Imported as imported\nrefused Odd: The entry has neither a url nor a command.\n',
		])
		const again = await cli.runAsProcess(['import', '-', '--apply', '--yes', '--json'], {
			input: readFileSync(file, 'utf8'),
		})
		expect(JSON.parse(again.output).mcp_servers[0].outcome).toBe('skipped')
		expect((await cli.run(['import', '-'], { input: '{}' })).code).toBe(2)
	})

	it('mcp install: writes the file of a client and keeps a copy of the previous one, or prints', async () => {
		const file = join(home, '.cursor', 'mcp.json')
		mkdirSync(join(home, '.cursor'))
		writeFileSync(file, '{\n  "mcpServers": { "other": { "url": "https://other.test" } }\n}\n')
		const args = ['mcp', 'install', 'cursor', '--agent', 'Reader', '--server', 'small-server']
		expect((await cli.run([...args, '--yes'])).code).toBe(2)
		expect(await lines([...args, '--print'])).toContain('YOUR_AGENT_KEY')
		const keys = await cli.json(['keys', 'list'])
		expect((await cli.run([...args, '--create-key'])).code).toBe(2)
		expect(await cli.json(['keys', 'list']), 'no key is left of what was not written').toEqual(keys)
		expect(readFileSync(file, 'utf8')).not.toContain('small-server')
		const done = await cli.run([...args, '--create-key', '--yes'])
		expect(done).toMatchObject({ code: 0, output: expect.stringContaining(`${file}.bak`) })
		expect(done.errors).toMatch(/^\+ .*"Bearer \(key\)"$/m)
		const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'))
		expect(mcpServers.other.url).toBe('https://other.test')
		const key = mcpServers['small-server'].headers.Authorization.slice('Bearer '.length)
		expect(done.errors + done.output).not.toContain(key)
		expect(readFileSync(`${file}.bak`, 'utf8')).not.toContain('small-server')
		const env = { SIGNALBOX_AGENT_KEY: key }
		expect(await cli.json([...args, '--yes'], env)).toMatchObject({ changed: false })
		expect(await cli.json(['mcp', 'install', 'codex', '--agent', 'Reader', '--print'])).toMatchObject({
			client: 'codex',
			kind: 'command',
		})
		const printed = await lines(['mcp', 'install', 'claude-code', '--agent', 'Reader'])
		expect(printed).toMatch(/^claude mcp add --transport http signalbox http/)
		expect((await cli.run(['mcp', 'install', 'emacs', '--agent', 'Reader'])).code).toBe(2)
	})

	it('mcp install --run: runs the command of the client with the key as one argument', async () => {
		const bin = join(home, 'bin')
		mkdirSync(bin)
		writeFileSync(join(bin, 'claude'), '#!/bin/sh\nfor word in "$@"; do echo "<$word>"; done\n')
		chmodSync(join(bin, 'claude'), 0o755)
		const args = ['mcp', 'install', 'claude-code', '--agent', 'Reader', '--run']
		const keys = await cli.json(['keys', 'list'])
		const without = await cli.runAsProcess([...args, '--create-key'], {
			env: { PATH: process.env.PATH ?? '' },
		})
		expect([without.code, without.errors]).toEqual([1, 'claude is not installed here.\n'])
		expect(await cli.json(['keys', 'list'])).toEqual(keys)
		const env = { SIGNALBOX_AGENT_KEY: 'the-key', PATH: `${bin}:${process.env.PATH}` }
		// The client's command writes its own output.
		const { code, output } = await cli.runAsProcess(args, { env })
		expect([code, output]).toEqual([
			0,
			expect.stringContaining('<--header>\n<Authorization: Bearer the-key>\n'),
		])
	})

	it('login stores a key in a private file, for that URL only', async () => {
		const plain = new CommandLine({ HOME: home })
		const options = { input: `${owner.password}\n` }
		const signedIn = await plain.run(['login', '--url', program.url, '--email', owner.email], options)
		const path = join(home, '.config', 'signalbox', 'profiles.json')
		expect(signedIn).toMatchObject({
			code: 0,
			output: `Signed in at ${program.url}; the key is in ${path}.\n`,
		})
		expect(statSync(path).mode & 0o777).toBe(0o600)
		const { sessions } = await program.api<{ sessions: unknown[] }>('GET', '/auth/sessions')
		expect(sessions, 'only the session of the test itself').toHaveLength(1)
		expect((await plain.json(['agents', 'list'])).agents.length).toBeGreaterThan(0)
		const elsewhere = await plain.run(['agents', 'list', '--url', 'http://127.0.0.1:9'])
		expect([elsewhere.code, elsewhere.errors]).toEqual([3, expect.stringContaining('signalbox login')])
		chmodSync(path, 0o644)
		expect((await plain.run(['agents', 'list'])).errors).toContain(`chmod 600 ${path}`)
		chmodSync(path, 0o600)
		expect((await plain.run(['login', '--url', program.url], { input: 'no key' })).code).toBe(3)
		const page = await plain.run(['login', '--url', `${program.url}/ui`, '--email', owner.email], options)
		expect([page.code, page.errors]).toEqual([
			2,
			expect.stringContaining('is not the address of an instance'),
		])
		const named = ['--profile', 'ci']
		await plain.run(['login', '--url', program.url, ...named], { input: program.token })
		expect((await plain.run(['servers', 'list', ...named])).code).toBe(0)
		expect((await plain.run(['logout'])).output).toBe('default is forgotten.\n')
		expect((await plain.run(['agents', 'list'])).code).toBe(3)
		expect(await plain.json(['logout', ...named])).toEqual({ profile: 'ci', removed: true })
	})

	it('prints a token for what only a person may do, and says so where a key is refused', async () => {
		const { key } = await cli.json(['api', 'keys.create', '-d', '{"name":"plain"}'])
		const clock = ['api', 'GET', '/v1/instance/clock']
		const refused = await cli.run([...clock, '--key', key])
		expect([refused.code, refused.errors]).toEqual([3, expect.stringContaining('--email … --token')])
		const options = { input: owner.password }
		const { output } = await cli.run(['login', '--email', owner.email, '--token'], options)
		expect(await cli.json([...clock, '--key', output.trim()])).toHaveProperty('status')
		const confirm = ['api', 'POST', `${clock[2]}/confirm`, '--key', output.trim()]
		expect((await cli.run(confirm)).errors).toMatch(/^The clock is not doubted[^\n]*\n$/)
		expect(await lines(['api', 'GET', '/v1/audit/export?format=csv'])).toMatch(/^"seq",/)
	})

	it('reports failures with the next step, also as JSON, and with the documented exit codes', async () => {
		const missing = await cli.runAsProcess(['servers', 'show', 'nothing'])
		expect([missing.code, missing.errors]).toEqual([
			4,
			'There is no server nothing; see signalbox servers list.\n',
		])
		const json = await cli.run(['agents', 'show', 'nobody', '--json'])
		expect([json.code, json.output]).toEqual([4, ''])
		expect(JSON.parse(json.errors).error).toMatchObject({ exit_code: 4 })
		const wrong = await cli.run(['servers', 'list', '--key', 'sk_service_wrong'])
		expect([wrong.code, wrong.errors]).toEqual([3, expect.stringContaining('\n→ ')])
		const taken = await cli.run(['agents', 'create', 'Reader', '--json'])
		expect([taken.code, JSON.parse(taken.errors).error.code]).toEqual([1, 'name_taken'])
		expect((await cli.run(['export', '--key', 'sk_service_wrong'])).code).toBe(3)
		const full = await cli.run(['export', '--output', '/dev/full'])
		expect(full.errors).toContain('The disk of the file to write is full.')
		expect((await cli.run(['servers', 'list', '--profile', 'none'])).errors).toContain(
			'There is no profile none.',
		)
		const usage = await cli.run(['servers', 'nonsense', '--json'])
		expect([usage.code, JSON.parse(usage.errors).error.message]).toEqual([2, "unknown command 'nonsense'"])
		expect((await cli.run(['servers', 'show'])).errors).toContain('(--help shows its usage)')
		expect((await cli.run(['servers', 'list', '--url', 'not an address'])).code).toBe(2)
		const nobody = await cli.run(['servers', 'list', '--url', 'http://127.0.0.1:9', '--key', 'k'])
		expect([nobody.code, nobody.errors]).toEqual([1, expect.stringContaining('does not answer')])
		expect((await cli.run(['agents', 'pause', 'Second', '--quiet'])).output).toBe('')
	})

	it('prints completion scripts with every command, and help texts', async () => {
		const script = await lines(['completion', 'bash'])
		expect(script).toContain('"servers") next="list add show remove refresh ')
		expect(await lines(['completion', 'fish'])).toContain("-a 'list add show remove refresh ")
		expect(await lines(['completion', 'zsh'])).toMatch(/^#compdef signalbox/)
		expect(await cli.json(['completion', 'bash'])).toEqual({ shell: 'bash', script })
		expect((await cli.run(['completion', 'csh'])).code).toBe(2)
		expect(await lines(['servers', 'add', '--help'])).toContain('Register a server by its address')
	})
})
