import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lockDirectory } from '../../platform/clickhouse/embedded/directory-lock.ts'
import { systemClock } from '../../platform/clock.ts'
import { loadOrCreateMasterKey, readMasterKeys } from '../../platform/crypto/master-key-file.ts'
import { openKeyring } from '../../platform/crypto/open-keyring.ts'
import { createSealer, type Keyring } from '../../platform/crypto/seal.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { migrateControlStore } from '../../platform/database/migrate.ts'
import { controlStorePath } from '../../platform/database/open-control-store.ts'
import { openSqlite } from '../../platform/database/sqlite/driver.ts'
import { newId } from '../../platform/ids.ts'

const bin = fileURLToPath(new URL('../../../bin/signalbox.mjs', import.meta.url))
const secrets = process.env.LONG_TESTS ? 10_000 : 3_000
/** How often the command is killed; after each time, every secret is opened. */
const rounds = process.env.LONG_TESTS ? 12 : 4
const bound = (id: string) => ({ workspaceId: 'w', kind: 'connection', origin: 'https://a.example', id })

describe(`signalbox keys rotate-master with ${secrets} secrets`, () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-rotate-'))
	let store: ControlStore
	let ring: Keyring
	beforeAll(async () => {
		const { keys } = loadOrCreateMasterKey(dataDir)
		store = openSqlite(controlStorePath(dataDir))
		await migrateControlStore(store)
		ring = await openKeyring(store, keys, systemClock)
		const times = { created_at: 1, updated_at: 1 }
		await store.db
			.insertInto('workspaces')
			.values({ id: 'w', name: 'w', ...times })
			.execute()
		for (let batch = 0; batch < secrets / 500; batch += 1)
			await store.db
				.insertInto('connections')
				.values(Array.from({ length: 500 }, newConnection))
				.execute()
	})
	afterAll(async () => {
		await store.close()
		rmSync(dataDir, { recursive: true, force: true })
	})

	const newConnection = () => {
		const id = newId()
		const base_url = 'https://a.example/v1'
		const sealed_key = ring.seal(`secret of ${id}`, bound(id))
		const times = { created_at: 1, updated_at: 1 }
		const nothing = { last4: null, record_bodies: 1, inject_usage: 0, priced_as: null, last_used_at: null }
		return { id, workspace_id: 'w', name: id, provider: 'openai', base_url, sealed_key, ...nothing, ...times }
	}
	const start = () => {
		const env = { PATH: process.env.PATH, SIGNALBOX_DATA_DIR: dataDir }
		return spawn(process.execPath, [bin, 'keys', 'rotate-master', '--json'], { env, stdio: 'pipe' })
	}
	const run = async () => {
		const child = start()
		const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
		const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
		return { code, output, errors }
	}
	/** Kills the command after a while without warning; true if it was still running. */
	const killAfter = async (ms: number) => {
		const child = start()
		const exited = new Promise<NodeJS.Signals | null>((resolve) =>
			child.on('exit', (_code, signal) => resolve(signal)),
		)
		await new Promise((resolve) => setTimeout(resolve, ms))
		child.kill('SIGKILL')
		return (await exited) === 'SIGKILL'
	}
	const oldOpens = async (key: Buffer) => {
		const sealer = createSealer(key)
		const rows = await store.db.selectFrom('connections').select(['id', 'sealed_key']).execute()
		return rows.filter(({ id, sealed_key }) => {
			try {
				return sealer.open(sealed_key as string, bound(id)) === `secret of ${id}`
			} catch {
				return false
			}
		}).length
	}

	it('reseals them all in under 60 s; the old key opens none', async () => {
		const before = readMasterKeys(dataDir).newest
		const startedAt = performance.now()
		const { code, output, errors } = await run()
		const tookMs = performance.now() - startedAt
		expect([code, errors]).toEqual([0, ''])
		expect(JSON.parse(output).resealed).toBe(secrets + 1)
		expect(tookMs).toBeLessThan(60_000)
		process.stderr.write(
			`rotated ${secrets} secrets in ${Math.round(tookMs)} ms, start of the command included\n`,
		)
		expect([await oldOpens(before), await oldOpens(readMasterKeys(dataDir).newest)]).toEqual([0, secrets])
	})

	it('loses nothing when it is killed at any moment, and resumes where it was', async () => {
		const before = readMasterKeys(dataDir).newest
		let kills = 0
		for (let round = 0; round < rounds; round += 1) {
			if (await killAfter(150 + Math.random() * 900)) kills += 1
			const { newest, previous } = readMasterKeys(dataDir)
			const opened = (await oldOpens(newest)) + (previous ? await oldOpens(previous) : 0)
			expect(opened).toBe(secrets)
		}
		expect(kills).toBeGreaterThanOrEqual(rounds / 2)
		expect(await run()).toMatchObject({ code: 0, errors: '' })
		expect(existsSync(join(dataDir, 'master.key.previous'))).toBe(false)
		expect([await oldOpens(before), await oldOpens(readMasterKeys(dataDir).newest)]).toEqual([0, secrets])
		const fresh = await openKeyring(store, readMasterKeys(dataDir), systemClock)
		expect(fresh.mac('audit', 'x')).toBe(ring.mac('audit', 'x'))
	})

	it('refers to the API while the program is running', async () => {
		const lock = lockDirectory(dataDir)
		try {
			const { code, errors } = await run()
			expect(code).toBe(1)
			expect(errors).toContain('POST /v1/instance/master-key/rotate')
		} finally {
			lock.release()
		}
	})
})
