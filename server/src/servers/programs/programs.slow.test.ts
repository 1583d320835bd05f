import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ProgramPool } from './program-pool.ts'
import type { ProgramSpec } from './program-spec.ts'
import { LineSplitter } from './running-program.ts'
import { openTestPrograms, scriptOf, specOf as specOfTest, type TestPrograms } from './testing.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Tested without a sandbox; the same holds within one. */
describe('hosted programs', () => {
	let programs: TestPrograms
	beforeAll(() => {
		programs = openTestPrograms({ sandbox: null, limits: { lineBytes: 100_000, graceMs: 400 } })
		programs.specs.set('one', accepted('one'))
	})
	afterAll(() => programs.close())
	const accepted = (id: string, changes = {}) => specOfTest(id, { accepted: 'without a sandbox', ...changes })
	const fresh = async (id: string, changes = {}) => {
		programs.specs.set(id, accepted(id, changes))
		const client = programs.client(id)
		await client.initialize()
		return client
	}

	it('are shared by clients without capabilities, and no response reaches another client', async () => {
		const clients = await Promise.all(
			Array.from({ length: 5 }, async () => {
				const client = programs.client()
				await client.initialize()
				return client
			}),
		)
		const said = await Promise.all(
			Array.from({ length: 200 }, (_, index) =>
				clients[index % 5]?.call('late', { value: index, ms: (index * 7) % 23 }),
			),
		)
		expect(said).toEqual(said.map((_, index) => String(index)))
		expect(programs.statusOf('one').processes).toMatchObject([{ shared: true, sessions: 5 }])
	})

	it('give a client with capabilities its own program, which ends with its session', async () => {
		const shared = await fresh('asked')
		const client = programs.client('asked')
		await client.initialize({ elicitation: {} })
		expect(programs.statusOf('asked').processes).toHaveLength(2)
		const asking = client.send({ id: 7, method: 'tools/call', params: { name: 'ask' } })
		await new Promise((done) => setTimeout(done, 50))
		await client.send({ id: 'q1', result: { action: 'accept' } })
		const { messages } = await asking
		expect(messages[0]).toMatchObject({ method: 'elicitation/create', id: 'q1' })
		expect(messages[1]).toMatchObject({ id: 7, result: { content: [{ text: '{"action":"accept"}' }] } })
		await client.end()
		await expect.poll(() => programs.statusOf('asked').processes).toHaveLength(1)
		expect(await shared.call('echo', { value: 'still' })).toBe('still')
		expect((await client.send({ id: 8, method: 'ping' })).status).toBe(404)
	})

	it('report progress only to its caller, and logs of a shared program to nobody', async () => {
		const client = await fresh('progress')
		const params = { name: 'progress', _meta: { progressToken: 'mine' } }
		const { messages } = await client.send({ id: 3, method: 'tools/call', params })
		expect(messages.map(({ method, id }) => method ?? id)).toEqual(['notifications/progress', 3])
		expect(messages[0].params.progressToken).toBe('mine')
	})

	it('get every number in its original notation', async () => {
		const client = await fresh('numbers')
		const text = await client.send(
			JSON.parse(
				'{"id":1,"method":"tools/call","params":{"name":"echo","arguments":{"value":"12345678901234567890"}}}',
			),
		)
		expect(text.messages[0].result.content[0].text).toBe('12345678901234567890')
	})

	it('fail with a readable reason when they die during a call, and start again', async () => {
		const client = await fresh('dying')
		await expect(client.call('die')).rejects.toThrow('was ended by SIGKILL before it answered')
		expect((await client.send({ id: 1, method: 'ping' })).status).toBe(404)
		await client.initialize()
		expect(await client.call('echo', { value: 'again' })).toBe('again')
		const own = programs.client('dying')
		await own.initialize({ elicitation: {} })
		await expect(client.call('die')).rejects.toThrow('SIGKILL')
		// The end of a client's own process is no failure, and does not hide the reason.
		await own.end()
		await expect.poll(() => programs.statusOf('dying').last_end).toBe('lost its session')
		const again = programs.client('dying')
		await expect(again.initialize()).rejects.toThrow(/SIGKILL 2 times in a row; it starts again in 1 s/)
		expect(programs.statusOf('dying')).toMatchObject({ state: 'waiting', failures: 2 })
		await expect.poll(() => programs.statusOf('dying').state, { timeout: 10_000 }).toBe('stopped')
		await again.initialize()
	})

	it('may write garbage, but no endless line', async () => {
		const client = await fresh('garbage')
		// Each call writes three such lines.
		for (let call = 0; call < 400; call += 1)
			expect(await client.call('garbage', { value: 'fine' })).toBe('fine')
		expect(programs.logsOf('garbage', 10).map(({ text }) => text)).toContain('this is no message')
		await expect(client.call('long', { bytes: 200_000 })).rejects.toThrow('more than 100000 bytes')
	})

	it('are notified when nobody waits any more, also after a time-out', async () => {
		const client = await fresh('cancelled')
		const leaving = new AbortController()
		const call = client.send({ id: 5, method: 'tools/call', params: { name: 'hang' } }, leaving.signal)
		setTimeout(() => leaving.abort(), 20)
		await expect(call).rejects.toThrow('aborted')
		await expect(
			client.send({ id: 6, method: 'tools/call', params: { name: 'hang' } }, undefined, 50),
		).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' })
		const lines = () => programs.logsOf('cancelled', 10).filter(({ text }) => text.includes('cancelled'))
		await expect.poll(lines).toHaveLength(2)
	})

	it('get the given environment and nothing of ours; their logs do not show it', async () => {
		const client = await fresh('env', { env: { API_KEY: 'CANARY-of-a-program' } })
		const env = JSON.parse(await client.call('env'))
		expect(Object.keys(env).sort()).toEqual(
			['API_KEY', 'HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR'].filter((name) => name in env),
		)
		expect(env.API_KEY).toBe('CANARY-of-a-program')
		await expect
			.poll(() =>
				programs
					.logsOf('env', 10)
					.map(({ text }) => text)
					.join(),
			)
			.toContain('[redacted]')
		expect(JSON.stringify(programs.logsOf('env', 100))).not.toContain('CANARY')
	})

	it('end with their whole process group when they change, are disabled or are no longer used', async () => {
		const client = await fresh('group')
		const child = Number(await client.call('child'))
		programs.specs.set('group', accepted('group', { env: { NEW: '1' } }))
		expect((await client.send({ id: 1, method: 'ping' })).status).toBe(404)
		await expect.poll(() => isAlive(child)).toBe(false)
		await client.initialize()
		expect(JSON.parse(await client.call('env')).NEW).toBe('1')
		const other = Number(await client.call('child'))
		programs.specs.delete('group')
		await expect.poll(() => isAlive(other), { timeout: 10_000 }).toBe(false)
		await expect(client.call('echo')).rejects.toThrow('switched off')
	})

	it('are ended when nobody has used them for a while', async () => {
		let setBackMs = 0
		const clock = { nowMs: () => Date.now() - setBackMs }
		const idle = openTestPrograms({ sandbox: null, limits: { idleMs: 100 }, clock })
		idle.specs.set('one', accepted('one'))
		const client = idle.client()
		await client.initialize()
		await expect.poll(() => idle.statusOf('one').state, { timeout: 10_000 }).toBe('stopped')
		expect(idle.statusOf('one').failures).toBe(0)
		await client.initialize()
		expect(await client.call('echo', { value: 1 })).toBe('1')
		setBackMs = 86_400_000
		await expect.poll(() => idle.statusOf('one').state, { timeout: 10_000 }).toBe('stopped')
		await idle.close()
	})

	it('are ended when they use too much memory', async () => {
		const greedy = openTestPrograms({ sandbox: null, limits: { memoryBytes: 200 * 2 ** 20 } })
		greedy.specs.set(
			'one',
			accepted('one', { command: 'sh', args: ['-c', 'exec node "$0"', ...specOfTest('one').args] }),
		)
		const client = greedy.client()
		await client.initialize()
		await expect(client.call('hog', { bytes: 300 * 2 ** 20 })).rejects.toThrow(
			'used more than 209715200 bytes',
		)
		await client.initialize()
		await expect(client.call('hog', { bytes: 4 * 2 ** 30 })).rejects.toThrow(/used more|SIG|code/)
		await greedy.close()
	})

	it('that close their input or output are ended, because they can answer nobody', async () => {
		for (const [descriptor, pipe] of [
			[0, 'input'],
			[1, 'output'],
		]) {
			const client = await fresh(`closes-${pipe}`)
			const code = `require('fs').closeSync(${descriptor}); setInterval(() => {}, 1000); await new Promise(() => {})`
			const call = client.call('run', { code })
			if (descriptor === 0) setTimeout(() => client.send({ method: 'notifications/nothing' }), 100)
			await expect(call).rejects.toThrow(`The program closed its standard ${pipe} before it answered.`)
		}
	})

	it('keep no process for a client that they refuse, and no session for one that has left', async () => {
		programs.specs.set('refuses', accepted('refuses', { args: [...specOfTest('one').args, 'refuses'] }))
		const asking = { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: {} }
		const refused = await programs.client('refuses').send({ method: 'initialize', params: asking })
		expect(refused.messages).toMatchObject([{ error: { message: 'Not today.' } }])
		await expect.poll(() => programs.statusOf('refuses')).toMatchObject({ processes: [], failures: 0 })
		const params = { ...asking, capabilities: {} }
		const leaving = new AbortController()
		programs.specs.set('left', accepted('left', { args: [...specOfTest('one').args, 'late'] }))
		const left = programs.client('left').send({ method: 'initialize', params }, leaving.signal)
		const staying = programs.client('left').initialize()
		await expect.poll(() => programs.statusOf('left').state).toBe('running')
		leaving.abort()
		await expect(left).rejects.toThrow('aborted')
		await staying
		expect(programs.statusOf('left').processes).toMatchObject([{ sessions: 1 }])
	})

	it('that cannot be started because no descriptor is left do not end ours', () => {
		const code = `import { openSync, closeSync } from 'node:fs'
			import { openTestPrograms, specOf } from '${new URL('./testing.ts', import.meta.url)}'
			const programs = openTestPrograms({ sandbox: null })
			programs.specs.set('one', specOf('one', { accepted: 'without a sandbox' }))
			const open = []
			try { for (;;) open.push(openSync('/dev/null')) } catch {}
			// The folders of the program need one.
			closeSync(open.pop())
			const refused = await programs.client().initialize().catch(String)
			for (const descriptor of open) closeSync(descriptor)
			console.log(refused)
			await programs.close()`
		const node = [process.execPath, '--input-type=module', '--eval', code]
		const { stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...node])
		expect(`${stdout}${stderr}`).toContain('The program could not be started (EMFILE) before it answered.')
	})

	it('that write a line byte by byte need memory for its bytes only', () => {
		const lines: string[] = []
		const splitter = new LineSplitter(500_000, (line) => lines.push(line), lines.push.bind(lines))
		const before = livingMb()
		for (let written = 0; written < 200_000; written += 1) splitter.push(Buffer.from('x'))
		expect(livingMb() - before).toBeLessThan(3)
		splitter.push(Buffer.from('\nnext\n'))
		expect(lines).toEqual(['x'.repeat(200_000), 'next'])
	})

	it('start only in a sandbox, or if an owner accepted that there is none', async () => {
		programs.specs.set('alone', specOfTest('alone'))
		await expect(programs.client('alone').initialize()).rejects.toThrow(
			/no sandbox here.*no owner has accepted/,
		)
	})

	it('that do not exist are an error at once', async () => {
		programs.specs.set('missing', accepted('missing', { command: '/nowhere/to/be/found' }))
		await expect(programs.client('missing').initialize()).rejects.toThrow(
			/ended by itself \(exit code 127: the command is not there/,
		)
	})

	it('that end at once point to the log, which has what they wrote', async () => {
		programs.specs.set('no-file', accepted('no-file', { command: 'node', args: ['/nowhere/server.mjs'] }))
		const start = () => programs.client('no-file').initialize()
		const pointer =
			/The program ended by itself \(exit code 1\).*\. The log on the server's page may say why\.$/
		// The second failure in a row begins the back-off, in which it is not started.
		for (const _ of [1, 2, 3]) await expect(start()).rejects.toThrow(pointer)
		await expect(start()).rejects.not.toThrow(/nowhere/)
		const lines = programs.logsOf('no-file', 100).map(({ text }) => text)
		expect(lines.join('\n')).toMatch(/Cannot find module '\/nowhere\/server.mjs'/)
	})

	const connects = process.env.LONG_TESTS ? 10_000 : 100
	it(`leave nothing behind: ${connects} connects and disconnects`, { timeout: 300_000 }, async () => {
		await fresh('rounds')
		const connect = async () => {
			const client = programs.client('rounds')
			await client.initialize()
			await client.end()
		}
		for (let round = 0; round < connects / 10; round += 1) await connect()
		const before = { handles: handles(), mb: livingMb() }
		for (let round = 0; round < connects; round += 1) await connect()
		expect(programs.statusOf('rounds').processes).toMatchObject([{ sessions: 1 }])
		expect(handles()).toBeLessThanOrEqual(before.handles + 2)
		expect(livingMb() - before.mb).toBeLessThan(5)
	})

	it('work with the public servers of the protocol', async () => {
		const client = await fresh('everything', {
			args: [scriptOf('@modelcontextprotocol/server-everything'), 'stdio'],
		})
		const { messages } = await client.send({ id: 1, method: 'tools/list', params: {} })
		expect(messages.at(-1).result.tools.length).toBeGreaterThan(5)
	})
})

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0)
		// A killed orphan stays a zombie until its new parent reaps it.
		return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
	} catch {
		return false
	}
}

/** Memory in use after a collection: the peak does not show what the process keeps. */
function livingMb(): number {
	collectGarbage()
	const { heapUsed, external } = process.memoryUsage()
	return (heapUsed + external) / 2 ** 20
}

function handles(): number {
	return process.getActiveResourcesInfo().length
}

it('a program that is changed while it is opened serves nobody as it was, and one that is switched off starts nowhere', async () => {
	let spec: ProgramSpec | null = specOfTest('one', { args: ['old'] })
	const opened: string[] = []
	const released: string[] = []
	let open = () => {}
	const pool = new ProgramPool({
		specOf: () => spec,
		open: async (of) => {
			const [version = ''] = of.args
			opened.push(version)
			await new Promise<void>((resolve) => {
				open = resolve
			})
			const release = async () => void released.push(version)
			return { spec: of, server: { spec: of, running: new Set() }, release } as never
		},
		memoryBytes: 1,
	})
	const waiting = [pool.serverFor('one'), pool.serverFor('one')]
	spec = specOfTest('one', { args: ['new'] })
	waiting.push(pool.serverFor('one'))
	open()
	await expect.poll(() => opened).toEqual(['old', 'new'])
	open()
	for (const server of await Promise.all(waiting)) expect(server.spec.args).toEqual(['new'])
	expect(released).toEqual(['old'])
	spec = specOfTest('one', { args: ['third'] })
	const refused = pool.serverFor('one')
	await expect.poll(() => opened).toContain('third')
	spec = null
	open()
	await expect(refused).rejects.toThrow('switched off')
})

it('a program that is changed while it is used ends before it starts again, once', async () => {
	let spec = specOfTest('one', { args: ['old'] })
	const events: string[] = []
	let end = () => {}
	const pool = new ProgramPool({
		specOf: () => spec,
		open: async (of) => {
			const [version = ''] = of.args
			events.push(`${version} opened`)
			const release = async () => {
				await new Promise<void>((resolve) => {
					end = resolve
				})
				events.push(`${version} ended`)
			}
			return { spec: of, server: { spec: of, running: new Set() }, release } as never
		},
		memoryBytes: 1,
	})
	await pool.serverFor('one')
	spec = specOfTest('one', { args: ['new'] })
	const waiting = [pool.serverFor('one')]
	await new Promise(setImmediate)
	waiting.push(pool.serverFor('one'))
	await new Promise(setImmediate)
	end()
	for (const server of await Promise.all(waiting)) expect(server.spec.args).toEqual(['new'])
	expect(events).toEqual(['old opened', 'old ended', 'new opened'])
})
