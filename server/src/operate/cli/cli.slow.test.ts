import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { tokenPrefixes } from '@signalbox/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../accounts/identity/testing.ts'
import { loadOrCreateMasterKey } from '../../platform/crypto/master-key-file.ts'
import { isToken } from '../../platform/crypto/token.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { migrateControlStore } from '../../platform/database/migrate.ts'
import { controlStorePath } from '../../platform/database/open-control-store.ts'
import { openSqlite } from '../../platform/database/sqlite/driver.ts'
import { openLocalSocket } from '../../platform/local-socket.ts'
import { CommandLine } from './testing.ts'

const bin = fileURLToPath(new URL('../../../bin/signalbox.mjs', import.meta.url))

describe('the command line', () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
	let store: ControlStore
	let app: TestApp
	beforeAll(async () => {
		const masterKey = loadOrCreateMasterKey(dataDir).key
		store = openSqlite(controlStorePath(dataDir))
		await migrateControlStore(store)
		app = await startTestApp(store, { masterKey })
	})
	afterAll(async () => {
		await app.close()
		await store.close()
		rmSync(dataDir, { recursive: true, force: true })
	})

	const cli = new CommandLine({ SIGNALBOX_DATA_DIR: dataDir })
	const run = cli.run.bind(cli)
	const json = cli.json.bind(cli)
	const start = (nodeFlags: string[], ...args: string[]) => {
		const env = { PATH: process.env.PATH, SIGNALBOX_DATA_DIR: dataDir }
		return spawn(process.execPath, [...nodeFlags, bin, ...args], { env, stdio: 'pipe' })
	}
	const statusOf = async (key: string) =>
		(await app.request('GET', '/v1/keys', { headers: { 'x-api-key': key } })).status

	it('creates and revokes keys that the running program knows of within a second', async () => {
		const made = await json(['keys', 'create', '--name', 'from the shell', '--scopes', 'keys:read'])
		expect(made).toMatchObject({ name: 'from the shell', status: 'active', scopes: ['keys:read'] })
		expect(await statusOf(made.secret)).toBe(200)
		expect((await run(['keys', 'revoke', made.id])).code).toBe(0)
		await expect.poll(() => statusOf(made.secret), { timeout: 10_000, interval: 20 }).toBe(401)
		const token = await run(['keys', 'create', '--name', 'sdk', '--ingest'])
		expect(isToken(token.output.trim(), tokenPrefixes.ingestToken)).toBe(true)
	})

	it('generates values for a headless start without storing them', async () => {
		const before = await store.db.selectFrom('credentials').select('id').execute()
		expect(isToken((await json(['keys', 'generate'])).secret, tokenPrefixes.key)).toBe(true)
		expect(
			isToken((await run(['keys', 'generate', '--ingest'])).output.trim(), tokenPrefixes.ingestToken),
		).toBe(true)
		expect(await store.db.selectFrom('credentials').select('id').execute()).toEqual(before)
	})

	it('resets a password and signs the person out everywhere', async () => {
		const person = await app.register()
		const reset = await run(['admin', 'reset-password', person.email, '--password-stdin'], {
			input: 'another good password\n',
		})
		expect([reset.code, reset.output]).toEqual([0, `The password of ${person.email} was changed.\n`])
		const unknown = await run(['admin', 'reset-password', 'nobody@example.org'])
		expect([unknown.code, unknown.errors]).toEqual([4, 'There is no such person as nobody@example.org.\n'])
		await expect
			.poll(async () => (await app.request('GET', '/auth/me', { token: person.token })).status, {
				timeout: 10_000,
			})
			.toBe(401)
		const logIn = (password: string) =>
			app.request('POST', '/auth/login', { body: { email: person.email, password } })
		expect((await logIn(person.password)).status).toBe(401)
		expect((await logIn('another good password')).status).toBe(200)
		expect(
			(await run(['admin', 'reset-password', person.email, '--password-stdin'], { input: 'password1' })).code,
		).toBe(2)
		const { password } = await json(['admin', 'reset-password', person.email])
		expect((await logIn(password)).status).toBe(200)
	})

	it('prints a link that creates an operator, at the address of the running program', async () => {
		const assumed = await run(['admin', 'create-link'])
		expect([assumed.output, assumed.errors]).toEqual([
			expect.stringMatching(/^http:\/\/127\.0\.0\.1:7777\/ui\/setup#/),
			expect.stringMatching(
				/^Warning: No program runs on this data directory, so http:\/\/127\.0\.0\.1:7777 is/,
			),
		])
		const close = await openLocalSocket(dataDir, { address: async () => 'http://127.0.0.1:7801' })
		const made = await run(['--json', 'admin', 'create-link'])
		await close()
		expect(made.errors).toBe('')
		const { link } = JSON.parse(made.output)
		expect(new URL(link).origin).toBe('http://127.0.0.1:7801')
		const body = {
			setup_token: new URL(link).hash.slice(1),
			email: 'second@example.org',
			password: 'a good long password',
		}
		const answer = await app.request('POST', '/auth/setup', { body })
		expect([new URL(link).pathname, answer.status]).toEqual(['/ui/setup', 201])
		expect((await app.request('GET', '/auth/me', { token: answer.body.token })).body.operator).toBe(true)
	})

	it('grants and revokes the operator role, and the running program knows within a second', async () => {
		const person = await app.register()
		const isOperator = async () =>
			(await app.request('GET', '/auth/me', { token: person.token })).body.operator as boolean
		const granted = await run(['admin', 'grant-operator', person.email])
		expect([granted.code, granted.output]).toEqual([0, `${person.email} is now an operator.\n`])
		await expect.poll(isOperator, { timeout: 10_000, interval: 20 }).toBe(true)
		const { operators } = await json(['admin', 'list-operators'])
		expect(operators).toContainEqual({ id: person.userId, email: person.email, name: '' })
		expect(await json(['admin', 'revoke-operator', person.email])).toMatchObject({ changed: true })
		expect(await json(['admin', 'revoke-operator', person.email])).toMatchObject({ changed: false })
		await expect.poll(isOperator, { timeout: 10_000, interval: 20 }).toBe(false)
		expect((await run(['admin', 'grant-operator', 'nobody@example.org'])).code).toBe(4)
		for (const { email } of operators.slice(1)) await run(['admin', 'revoke-operator', email])
		const last = await run(['admin', 'revoke-operator', operators[0].email])
		expect([last.code, last.errors]).toEqual([
			1,
			expect.stringMatching(
				/^An instance must keep at least one operator\n→ Make somebody else an operator first/,
			),
		])
	})

	it('verifies the audit log and names the first changed record', async () => {
		const intact = await json(['audit', 'verify'])
		expect(intact).toMatchObject({ intact: true, bad: null })
		const head = { workspace_id: expect.any(String), seq: expect.any(Number), chain: expect.any(String) }
		expect(intact.heads[0]).toEqual(head)
		const row = await store.db
			.selectFrom('audit_log')
			.selectAll()
			.where('action', '=', 'keys.create')
			.executeTakeFirstOrThrow()
		const set = (action: string) =>
			store.db.updateTable('audit_log').set({ action }).where('id', '=', row.id).execute()
		await set('keys.nothing')
		const { code, output } = await run(['audit', 'verify'])
		expect([code, output]).toEqual([
			1,
			`NOT INTACT: record ${row.seq} of workspace ${row.workspace_id} (${row.id}) was changed.\n`,
		])
		await set('keys.create')
		expect((await run(['audit', 'verify'])).code).toBe(0)
	})

	it('tail: reports what it did not see, for people and for programs, and connects again', async () => {
		// A stand-in for the instance, since a gap needs a reader that is too slow, and a lost connection a cut.
		const instance = createServer((_request, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' })
			response.write(': signalbox\n\n')
			if (connections++ === 0) return void setImmediate(() => response.destroy())
			response.write('event: gap\ndata: {"missed":3}\n\n')
			response.write(`event: span\ndata: ${JSON.stringify({ tool: 'echo', status: 'ok' })}\n\n`)
		})
		let connections = 0
		instance.listen(0, '127.0.0.1')
		await once(instance, 'listening')
		const { port } = instance.address() as AddressInfo
		const { code, output, errors } = await cli.runAsProcess(['tail', '--json', '--limit', '1'], {
			env: { HOME: dataDir, SIGNALBOX_URL: `http://127.0.0.1:${port}`, SIGNALBOX_KEY: 'k' },
		})
		instance.closeAllConnections()
		instance.close()
		expect([code, JSON.parse(output)]).toEqual([0, { tool: 'echo', status: 'ok' }])
		expect(
			errors
				.trim()
				.split('\n')
				.map((line) => JSON.parse(line).warning.message),
		).toEqual([
			'The connection was lost; what is recorded until it is back is not shown.',
			'Not shown: 3 calls, because more was recorded than this command could read.',
		])
	})

	it('prints the settings with their source, and no secret', async () => {
		const keyFile = join(dataDir, 'key-file')
		writeFileSync(keyFile, `${'a1'.repeat(16)}b2c3d4e5f60718293a4b5c6d7e8f9012`)
		const env = {
			SIGNALBOX_PORT: '9000',
			SIGNALBOX_MASTER_KEY_FILE: keyFile,
			SIGNALBOX_METRICS_TOKEN: 'hidden-value-7f3a91',
		}
		const { output } = await run(['config', 'print', '--json'], { env })
		const settings = new Map(
			JSON.parse(output).settings.map((setting: { name: string }) => [setting.name, setting]),
		)
		expect(settings.get('SIGNALBOX_PORT')).toMatchObject({ value: '9000', source: 'environment' })
		expect(settings.get('SIGNALBOX_HOST')).toMatchObject({ value: '127.0.0.1', source: 'default' })
		expect(settings.get('SIGNALBOX_MASTER_KEY')).toMatchObject({ value: '[redacted]', source: 'file' })
		expect(output).not.toMatch(/hidden-value|a1a1a1/)
		expect((await run(['config', 'check'])).code).toBe(0)
		const mistaken = await run(['config', 'check'], { env: { SIGNALBOX_PROT: '1' } })
		expect([mistaken.code, mistaken.output]).toEqual([
			1,
			expect.stringContaining('did you mean SIGNALBOX_PORT'),
		])
	})

	it('ends with the documented exit codes', async () => {
		expect((await run(['--help'])).code).toBe(0)
		expect(await run(['--version'])).toMatchObject({ code: 0, output: expect.stringMatching(/^\d+\.\d+/) })
		expect((await run(['nonsense'])).code).toBe(2)
		expect((await run(['keys', 'create'])).code).toBe(2)
		expect((await run(['keys', 'create', '--name', 'x', '--scopes', 'everything'])).code).toBe(2)
		expect((await run(['keys', 'revoke', 'nothing'])).code).toBe(4)
		expect((await run(['admin', 'reset-password', 'nobody@example.org'])).code).toBe(4)
		expect(
			(await run(['audit', 'verify'], { env: { SIGNALBOX_DATA_DIR: join(dataDir, 'none') } })).code,
		).toBe(4)
	})

	it('hands over to the pinned Node if the current one cannot run it, and passes signals on', async () => {
		const old = ['--no-experimental-strip-types']
		const handed = start(old, 'keys', 'generate')
		expect(isToken((await text(handed.stdout)).trim(), tokenPrefixes.key)).toBe(true)
		const failing = start(old, 'keys', 'revoke', 'nothing')
		expect(await new Promise((resolve) => failing.on('exit', resolve))).toBe(4)
		const child = start(old, 'admin', 'reset-password', 'x@example.org', '--password-stdin')
		const ended = new Promise((resolve) => child.on('exit', (_code, signal) => resolve(signal)))
		setTimeout(() => child.kill('SIGTERM'), 1500)
		expect(await ended).toBe('SIGTERM')
	})
})
