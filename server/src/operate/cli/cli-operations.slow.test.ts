import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { controlStorePath } from '../../platform/database/open-control-store.ts'
import { openSqlite } from '../../platform/database/sqlite/driver.ts'
import { fillNewDataDir, newDataDir, removeDataDir, startProgram } from '../../program/program.testing.ts'
import { checkMemory, checkOpenFiles } from './doctor/doctor-checks.ts'

const bin = fileURLToPath(new URL('../../../bin/signalbox.mjs', import.meta.url))

async function signalbox(dataDir: string, args: string[], environment: Record<string, string> = {}) {
	const env = { PATH: process.env.PATH, SIGNALBOX_DATA_DIR: dataDir, ...environment }
	const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
	const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
	const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
	return { code, output, errors }
}

describe('signalbox migrate', () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
	afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

	const run = (...args: string[]) => signalbox(dataDir, args)
	const status = async () => JSON.parse((await run('migrate', 'status', '--json')).output)

	it('status names what is missing and creates nothing; up migrates both stores to the newest schema', async () => {
		const before = await status()
		expect(before.control_store).toMatchObject({ applied: [], unknown: [] })
		expect(before.control_store.pending[0]).toBe('0001-initial')
		expect(existsSync(controlStorePath(dataDir))).toBe(false)
		const up = await run('migrate', 'up', '--json')
		expect([up.code, JSON.parse(up.output).applied]).toEqual([0, before.control_store.pending])
		const after = await status()
		expect(after.control_store).toEqual({ applied: before.control_store.pending, pending: [], unknown: [] })
		expect(after.telemetry_store.version).toBe(after.telemetry_store.newest)
	})

	it('a store of a newer program is refused with a message of one line', async () => {
		const store = openSqlite(controlStorePath(dataDir))
		await sql`insert into kysely_migration (name, timestamp) values ('9999-future', 'x')`.execute(store.db)
		await store.close()
		expect((await status()).control_store.unknown).toEqual(['9999-future'])
		for (const command of [['migrate', 'up'], ['start']]) {
			const { code, errors } = await run(...command)
			expect(code).toBe(1)
			expect(errors).toMatch(
				/^The control store was written by a newer Signalbox \(migration 9999-future\)[^\n]*\n$/,
			)
		}
	})
})

describe('signalbox doctor', () => {
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
	const dataDir = join(directory, 'data')
	afterAll(() => rmSync(directory, { recursive: true, force: true }))

	const examine = async (environment: Record<string, string> = {}) => {
		const { code, output, errors } = await signalbox(dataDir, ['doctor', '--json'], environment)
		if (output === '') throw new Error(errors)
		const { findings } = JSON.parse(output) as { findings: { check: string; status: string; fix?: string }[] }
		return {
			code,
			statusOf: (check: string) => findings.find((finding) => finding.check === check)?.status,
			findings,
		}
	}
	const ports = { SIGNALBOX_PORT: '0', SIGNALBOX_OTLP_HTTP_PORT: '0', SIGNALBOX_OTLP_GRPC_PORT: '0' }

	it('warns of too little memory for the embedded engine', () => {
		const [small, enough] = [700, 1024].map((mebibytes) => mebibytes * 1024 ** 2)
		expect(checkMemory({ CLICKHOUSE_URL: null }, small)).toMatchObject({ status: 'warn', detail: '700 MiB' })
		expect(checkMemory({ CLICKHOUSE_URL: null }, enough)).toMatchObject({ status: 'ok' })
		expect(checkMemory({ CLICKHOUSE_URL: 'http://clickhouse:8123' }, small)).toMatchObject({ status: 'ok' })
	})

	it('warns of few files that may be open', () => {
		expect(checkOpenFiles(1024)).toMatchObject({ status: 'warn', fix: expect.stringContaining('65536') })
		expect(checkOpenFiles(4096)).toMatchObject({ status: 'ok' })
		expect(checkOpenFiles(null)).toMatchObject({ status: 'ok' })
	})

	it('reports an empty directory as healthy, and creates nothing in it', async () => {
		const { code, findings } = await examine(ports)
		expect(findings.filter(({ status }) => status !== 'ok')).toEqual([])
		expect([code, existsSync(dataDir)]).toEqual([0, false])
	})

	it('names what is wrong and the remedy: ports, mail, issuers, settings, databases', async () => {
		const taken = createServer().listen(0, '127.0.0.1')
		await once(taken, 'listening')
		const { port } = taken.address() as AddressInfo
		const { code, statusOf, findings } = await examine({
			SIGNALBOX_PORT: String(port),
			SIGNALBOX_OTLP_HTTP_PORT: String(port),
			SIGNALBOX_PUBLIC_URL: 'https://signalbox.example',
			SIGNALBOX_SMTP_URL: 'smtp://127.0.0.1:1',
			SIGNALBOX_MAIL_FROM: 'box@example.org',
			SIGNALBOX_OIDC_HOUSE_ISSUER: 'http://127.0.0.1:1',
			SIGNALBOX_OIDC_HOUSE_CLIENT_ID: 'c',
			DATABASE_URL: 'postgres://127.0.0.1:1/none',
			SIGNALBOX_MASTER_KEY: randomBytes(32).toString('hex'),
		})
		taken.close()
		expect(code).toBe(1)
		for (const check of ['main port', 'mail', 'sign-in by house', 'stores'])
			expect(statusOf(check), check).toBe('fail')
		expect(JSON.stringify(findings)).toContain(
			'PostgreSQL (DATABASE_URL) cannot be used: connect ECONNREFUSED',
		)
		for (const check of ['OTLP port', 'proxy']) expect(statusOf(check), check).toBe('warn')
		expect(findings.filter(({ status, fix }) => status !== 'ok' && !fix)).toEqual([])
		expect(
			(await examine({ SIGNALBOX_PORT: 'x', SIGNALBOX_SIGNUP: 'x' })).findings.filter(
				({ status }) => status === 'fail',
			),
		).toHaveLength(2)
	})

	it('reports a key that does not belong to the store, and files that others may read or that are from the future', async () => {
		mkdirSync(dataDir, { mode: 0o700 })
		await fillNewDataDir(dataDir)
		expect((await signalbox(dataDir, ['migrate', 'up'])).code).toBe(0)
		expect((await examine(ports)).code).toBe(0)
		const key = join(dataDir, 'master.key')
		writeFileSync(key, randomBytes(32).toString('hex'))
		chmodSync(key, 0o644)
		chmodSync(dataDir, 0o755)
		const future = Date.now() / 1000 + 3600
		utimesSync(join(dataDir, 'wal/manifest.log'), future, future)
		const { code, statusOf } = await examine(ports)
		expect(['master key', 'master key fits', 'data directory', 'clock'].map(statusOf)).toEqual([
			'fail',
			'fail',
			'warn',
			'fail',
		])
		expect(code).toBe(1)
		rmSync(key)
		for (const name of ['', '-wal', '-shm']) writeFileSync(join(dataDir, `control.db${name}`), '')
		const without = await examine(ports)
		expect(['master key', 'stores'].map(without.statusOf)).toEqual(['fail', 'fail'])
		expect(JSON.stringify(without.findings)).toMatch(/control\.db is empty, but .* holds the telemetry/)
	})

	it('queries the running program, also at its public URL', async () => {
		const running = newDataDir()
		const program = await startProgram(running)
		const settings = {
			// The program itself says which port it has.
			SIGNALBOX_PORT: '0',
			SIGNALBOX_OTLP_HTTP_PORT: '0',
			SIGNALBOX_OTLP_GRPC_PORT: '0',
			SIGNALBOX_PUBLIC_URL: program.url,
		}
		const { output } = await signalbox(running, ['doctor', '--json'], settings)
		const elsewhere = { ...settings, TMPDIR: join(running, 'none') }
		const withoutTemporary = await signalbox(running, ['doctor'], elsewhere)
		await program.kill('SIGTERM')
		removeDataDir(running)
		const findings = JSON.parse(output).findings as { check: string; status: string; detail: string }[]
		expect(findings.filter(({ status }) => status !== 'ok')).toEqual([])
		expect(findings.map(({ detail }) => detail).join()).toMatch(
			/runs on .*is in use by the running program.*is ready.*is ready/,
		)
		expect(withoutTemporary.output).toMatch(/fail {2}engine: .*none is not writable\n {6}→ set TMPDIR/)
		expect(withoutTemporary.output).toContain('is ready')
	})
})
