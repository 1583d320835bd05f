import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newDataDir, type Program, removeDataDir, startProgram } from '../../../program/program.testing.ts'
import { startEverythingServer, type TestMcpServer } from '../../../servers/testing.ts'
import { CommandLine } from '../testing.ts'

const secret = 'CANARY-config-secret'
/** Each needs a new start of the tool, which is then killed. */
const killedSteps = process.env.LONG_TESTS ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [1, 7]
const env = { SMALL_TOKEN: secret, PROVIDER_KEY: 'sk-canary-provider-key-1234' }

describe('configuration as code', () => {
	const dataDir = newDataDir()
	const folder = mkdtempSync(join(tmpdir(), 'signalbox-config-file-'))
	const file = join(folder, 'signalbox.yaml')
	let program: Program
	let everything: TestMcpServer
	let cli: CommandLine
	beforeAll(async () => {
		program = await startProgram(dataDir)
		everything = await startEverythingServer()
		cli = new CommandLine({ HOME: folder, SIGNALBOX_URL: program.url, SIGNALBOX_KEY: program.token })
		writeFileSync(join(folder, 'token.txt'), `${secret}\n`)
	})
	afterAll(async () => {
		await everything.close()
		await program.kill('SIGTERM')
		removeDataDir(dataDir)
		rmSync(folder, { recursive: true, force: true })
	})
	const whole = () => `version: 1
connections:
  - name: main
    provider: openai_compatible
    base_url: https://models.example.org/v1
    priced_as: groq
    key: \${env:PROVIDER_KEY}
servers:
  - slug: small
    name: Small server
    description: A server for tests
    url: ${everything.url}
    headers:
      Authorization: Bearer \${env:SMALL_TOKEN}
      X-Api-Key: \${file:token.txt}
  - slug: asleep
    url: ${everything.url}
    status: inactive
    configuration: { team: blue }
agents:
  - name: Reader
    groups: [support]
    model_access: { mode: selected, connections: [{ name: main, models: ['gpt-*'] }] }
  - name: Paused
    status: paused
toolsets:
  - name: Basics
    description: What everybody gets
    groups: [support]
    tools:
      - { server: small, tools: [echo, get-sum] }
grants:
  - agent: Paused
    server: small
    access_mode: selected
    allowed_tools: [echo]
    expires_at: 2099-01-01T00:00:00Z
    constraints: { echo: { properties: { message: { maxLength: 5 } } } }
  - { agent: Reader, server: asleep, access_mode: all, enabled: false }
webhooks:
  - url: ${everything.url}/hook
    events: ['agents.*', server.health_changed]
    description: To the desk
limits:
  - { class: mcp, requests: 1000, window_s: 10 }
`
	const empty =
		'version: 1\nconnections: []\nservers: []\nagents: []\ntoolsets: []\ngrants: []\nwebhooks: []\nlimits: []\n'
	const write = (text: string) => writeFileSync(file, text)
	const reset = async () => {
		write(empty)
		const { code, errors } = await cli.run(['apply', file, '--prune', '--yes'])
		if (code !== 0) throw new Error(errors)
	}
	const changesOf = async () =>
		((await cli.json(['diff', file], env)).objects as { name: string; action: string }[])
			.filter(({ action }) => action !== 'unchanged')
			.map(({ name, action }) => `${action} ${name}`)

	it('creates an instance from a file; afterwards it differs neither from the file nor from its own export', async () => {
		write(whole())
		const applied = await cli.run(['apply', file, '--yes'], { env })
		expect(applied).toMatchObject({
			code: 0,
			output: expect.stringMatching(/^Done: 10 changes\.\n.*hook, shown only now: whsec_\S+\n$/),
		})
		expect(await cli.run(['diff', file, '--exit-code'], { env })).toMatchObject({
			code: 0,
			output: 'There is no difference.\n',
		})
		const exported = await cli.run(['export', '--output', file])
		expect(exported).toMatchObject({ code: 0, errors: '' })
		expect((await cli.run(['diff', file, '--exit-code', '--prune'])).output).toBe('There is no difference.\n')
		const text = readFileSync(file, 'utf8')
		expect(text).toContain('authorization: ${' + 'env:SMALL_AUTHORIZATION}')
		expect(text).not.toMatch(/CANARY|canary|Basics.*Reader/)
		expect((await cli.json(['export'])).grants).toHaveLength(2)
		expect(program.log.join('')).not.toMatch(/CANARY|canary/)
	})

	it('an export from another instance needs secrets, and says which', async () => {
		await cli.run(['export', '--output', file])
		const text = readFileSync(file, 'utf8')
		await reset()
		write(text)
		const refused = await cli.run(['apply', file, '--yes'])
		expect([refused.code, refused.errors]).toEqual([
			2,
			expect.stringContaining('3 mistakes; nothing was changed'),
		])
		expect(refused.errors).toMatch(
			/line \d+: the server small needs \$\{env:SMALL_X_API_KEY\}, which has no value/,
		)
		expect((await cli.json(['servers', 'list'])).mcp_servers).toEqual([])
		const secrets = { SMALL_AUTHORIZATION: 'a', SMALL_X_API_KEY: 'b', MAIN_KEY: 'c'.repeat(20) }
		expect((await cli.run(['apply', file, '--yes'], { env: secrets })).code).toBe(0)
		expect((await cli.run(['diff', file, '--exit-code', '--prune'], { env: secrets })).code).toBe(0)
	})

	it('changes only what differs; deletes only with --prune', async () => {
		await reset()
		write(whole())
		await cli.run(['apply', file, '--yes'], { env })
		const changed = whole()
			.replace('A server for tests', 'Another text')
			.replace('[echo, get-sum]', '[echo]')
			.replace('status: paused', 'status: stopped')
			.replace('enabled: false', 'enabled: true')
			.replace('status: inactive', 'status: active')
			.replace('To the desk', 'To nobody')
			.replace('requests: 1000', 'requests: 900')
			.replace('  - name: Reader', '  - name: Writer')
			.replace('agent: Reader', 'agent: Writer')
		write(changed)
		expect(await changesOf()).toEqual([
			'update small',
			'update asleep',
			'create Writer',
			'update Paused',
			'update Basics',
			'create Writer → asleep',
			`update ${everything.url}/hook`,
			'update mcp',
		])
		expect((await cli.run(['apply', file, '--yes'], { env })).code).toBe(0)
		expect(await changesOf()).toEqual([])
		const pruned = await cli.json(['apply', file, '--prune', '--yes'], env)
		expect(pruned.objects.filter(({ action }: { action: string }) => action === 'delete')).toMatchObject([
			{ section: 'grants', name: 'Reader → asleep' },
			{ section: 'agents', name: 'Reader' },
		])
		const { agents } = await cli.json(['agents', 'list'])
		expect(agents.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
			['Paused', 'stopped'],
			['Writer', 'active'],
		])
	})

	it('sends a secret again when it is known to differ, when a header is added, and with --secrets', async () => {
		await reset()
		write(whole())
		await cli.run(['apply', file, '--yes'], { env })
		const other = { ...env, PROVIDER_KEY: 'sk-canary-provider-key-9999' }
		const diff = async (args: string[], given: Record<string, string>) =>
			(await cli.json(['diff', file, ...args], given)).objects
				.filter(({ action }: { action: string }) => action !== 'unchanged')
				.map(({ name }: { name: string }) => name)
		expect(await diff([], other)).toEqual(['main'])
		expect(await diff(['--secrets'], env)).toEqual(['main', 'small'])
		write(whole().replace('      X-Api-Key', '      X-Other: plain\n      X-Api-Key'))
		expect(await diff([], env)).toEqual(['small'])
		expect((await cli.run(['apply', file, '--yes'], { env: other })).code).toBe(0)
		expect(await diff([], other)).toEqual([])
	})

	it('refuses a file and lists all its mistakes with their lines, before anything is changed', async () => {
		await reset()
		write(`version: 1
servers:
  - slug: twice
    url: ${everything.url}
    colour: red
  - slug: Wrong Slug
    url: https://example.org
agents:
  - name: A
    groups: [Not A Group]
`)
		const shape = await cli.run(['apply', file, '--yes'])
		expect(shape.code).toBe(2)
		expect(shape.errors).toMatch(/line 5: servers\/0\/colour is no known field/)
		expect(shape.errors).toMatch(/line 6: servers\/1\/slug must match/)
		expect(shape.errors).toMatch(/line 10: agents\/0\/groups\/0 must match/)
		write(`version: 1
servers:
  - slug: twice
    url: ${everything.url}
  - slug: twice
    command: npx
    url: https://example.org
grants:
  - { agent: Nobody, server: twice, access_mode: selected }
  - { agent: Somebody, server: twice, access_mode: all, allowed_prompts: [a], allowed_resources: [b] }
`)
		const meaning = await cli.run(['apply', file, '--yes', '--json'])
		expect(JSON.parse(meaning.errors).error).toMatchObject({
			exit_code: 2,
			details: [
				'line 5: the server twice stands in line 3 already',
				'line 5: the server twice needs exactly one of url and command',
				'line 9: allowed_tools is for access_mode selected, and needed there',
				'line 10: allowed_prompts is for access_mode selected',
				'line 10: allowed_resources is for access_mode selected',
			],
		})
		write(`version: 1\ngrants:\n  - { agent: Nobody, server: nowhere, access_mode: all }\n`)
		expect((await cli.run(['apply', file, '--yes'])).errors).toMatch(
			/line 3: .* names the agent Nobody, which does not exist\n.*line 3: .* names the server nowhere/,
		)
		write('version: 1\nservers: [\n  - {a: b\n')
		expect((await cli.run(['diff', file])).errors).toMatch(/line \d+: /)
		expect((await cli.json(['servers', 'list'])).mcp_servers).toEqual([])
	})

	it('finds no difference in another spelling of what the instance keeps, nor in the order of creation', async () => {
		await reset()
		write(`version: 1
connections:
  - { name: second, provider: openai, base_url: 'https://MODELS.example.org:443/v1/', key: '\${env:PROVIDER_KEY}' }
  - { name: first, provider: openai, key: '\${env:PROVIDER_KEY}' }
agents:
  - { name: Reader, model_access: { mode: selected } }
webhooks:
  - { url: 'https://HOOKS.example.org', events: [agents.*] }
limits:
  - { class: model, requests: null, window_s: null }
  - { class: mcp, requests: 100, window_s: 10 }
`)
		const applied = await cli.run(['apply', file, '--yes'], { env })
		expect([applied.code, applied.errors]).toMatchObject([0, expect.not.stringContaining('limit model')])
		expect((await cli.run(['diff', file, '--prune'], { env })).output).toBe('There is no difference.\n')
		const exported = await cli.json(['export'])
		expect(exported).toMatchObject({
			connections: [{ name: 'first', record_bodies: true, inject_usage: false }, { name: 'second' }],
			limits: [{ class: 'mcp', requests: 100, window_s: 10 }],
		})
		await reset()
		expect((await cli.json(['export'])).limits).toEqual([])
	})

	it('carries to another instance what is recorded of model calls, and what happens when a tool changes', async () => {
		await reset()
		const careful = `version: 1
connections:
  - { name: private, provider: openai, record_bodies: false, inject_usage: true, key: '\${env:PROVIDER_KEY}' }
servers:
  - { slug: strict, url: '${everything.url}', definition_policy: suspend }
`
		write(careful)
		expect((await cli.run(['apply', file, '--yes'], { env })).code).toBe(0)
		expect(await cli.json(['export'])).toMatchObject({
			connections: [{ name: 'private', record_bodies: false, inject_usage: true }],
			servers: [{ slug: 'strict', definition_policy: 'suspend' }],
		})
		write(careful.replace('false', 'true').replace('suspend', 'allow'))
		expect(await changesOf()).toEqual(['update private', 'update strict'])
		write(
			careful
				.replace(', record_bodies: false, inject_usage: true', '')
				.replace(', definition_policy: suspend', ''),
		)
		expect(await changesOf()).toEqual([])
		await reset()
	})

	it('gives every secret of an export a reference of its own', async () => {
		await reset()
		write(`version: 1
connections:
  - { name: a_key, provider: openai, key: '\${env:PROVIDER_KEY}' }
  - { name: a, provider: openai, key: '\${env:PROVIDER_KEY}' }
servers:
  - { slug: a, url: ${everything.url}, headers: { b-c: x, key: x, other: x } }
  - { slug: a-b, url: ${everything.url}, headers: { c: x } }
`)
		expect((await cli.run(['apply', file, '--yes'], { env })).code).toBe(0)
		const { connections, servers } = await cli.json(['export'])
		const [one, other] = servers as { headers: Record<string, string> }[]
		const references = [connections[0].key, connections[1].key, one?.headers.key]
		references.push(one?.headers['b-c'], other?.headers.c)
		expect(new Set(references).size).toBe(5)
		expect(references[3]).toMatch(/^\$\{env:A_B_C_[0-9A-F]{32}\}$/)
		expect([one?.headers.other, connections[1].key]).toEqual(['${' + 'env:A_OTHER}', '${' + 'env:A_KEY_KEY}'])
	})

	it('asks before it changes anything, and requires --yes without a terminal', async () => {
		const misspelt = await cli.run(['export'], { env: { SIGNALBOX_URL: 'box.example' } })
		expect(misspelt.errors).toMatch(/^SIGNALBOX_URL: box.example is not/)
		await reset()
		write(whole())
		const { code, errors } = await cli.run(['apply', file], { env })
		expect([code, errors]).toEqual([2, expect.stringMatching(/\+ server small[\s\S]*--yes/)])
		expect((await cli.json(['servers', 'list'])).mcp_servers).toEqual([])
	})

	it(`resumes after kill -9 at the steps ${killedSteps}, each object created once`, async () => {
		let killed = 0
		for (const steps of killedSteps) {
			await reset()
			write(whole())
			if ((await applyUntil(steps)) === 'SIGKILL') killed += 1
			const resumed = await cli.run(['apply', file, '--yes'], { env })
			expect([steps, resumed.code, resumed.errors]).toEqual([steps, 0, expect.anything()])
			expect([steps, await changesOf()]).toEqual([steps, []])
			const pruned = await cli.json(['diff', file, '--prune'], env)
			expect([steps, pruned.different]).toEqual([steps, false])
		}
		// On a busy machine the tool may end before the signal arrives.
		expect(killed).toBeGreaterThan(killedSteps.length / 2)
	}, 300_000)

	/** Kills the tool as soon as it has printed the step of this number; the next step may have begun. */
	async function applyUntil(steps: number): Promise<NodeJS.Signals | null> {
		const child = cli.start(['apply', file, '--yes'], env)
		const exited = new Promise((resolve) => child.on('exit', resolve))
		if (child.stderr)
			createInterface({ input: child.stderr }).on('line', (line) => {
				if (line.startsWith(`${steps}/`)) child.kill('SIGKILL')
			})
		await exited
		return child.signalCode
	}

	it('publishes its schema', async () => {
		const schema = await cli.run(['config-file', 'schema'])
		expect(JSON.parse(schema.output)).toMatchObject({
			title: 'Signalbox configuration',
			required: ['version'],
		})
	})

	it('reports what has no effect in the file, before and after it is applied', async () => {
		await reset()
		write(`version: 1
connections:
  - { name: gpt, provider: openai, key: '\${env:PROVIDER_KEY}' }
servers:
  - { slug: small, url: ${everything.url} }
`)
		const made = await cli.run(['apply', file, '--yes'], { env })
		expect([made.code, made.errors]).toMatchObject([0, expect.any(String)])
		write(`version: 1
agents:
  - name: Reader
    model_access: { mode: selected, connections: [{ name: gone, models: ['*'] }, { name: gpt, models: [gtp-5, gpt-5] }] }
toolsets:
  - { name: Basics, tools: [{ server: small, tools: [echo, ecko] }] }
grants:
  - { agent: Reader, server: small, access_mode: selected, allowed_tools: [lost] }
`)
		const gone = 'Warning: the agent Reader: model_access: there is no connection or route gone.'
		const named = [
			'Warning: the toolset Basics: tools: the server small has no tool ecko.',
			'Warning: the grant Reader → small: allowed_tools: the server small has no tool lost.',
		]
		const warningsIn = ({ output }: { output: string }) =>
			output.split('\n').filter((line) => line.startsWith('Warning: '))
		expect(warningsIn(await cli.run(['diff', file]))).toEqual([gone, ...named])
		expect(warningsIn(await cli.run(['apply', file, '--yes']))).toEqual([
			gone,
			'Warning: the agent Reader: model_access: no known model of the connection gpt matches gtp-5.',
			...named,
		])
		expect((await cli.json(['diff', file])).warnings).toHaveLength(3)
		expect((await cli.run(['toolsets', 'apply', 'Other', '--tools', 'small=ecko'])).errors).toContain(
			'Warning: tools: the server small has no tool ecko.',
		)
		await reset()
	})
})
