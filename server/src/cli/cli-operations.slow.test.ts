import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { controlStorePath, openSqlite } from '../platform/database/index.ts'

const bin = fileURLToPath(new URL('../../bin/signalbox.mjs', import.meta.url))

describe('signalbox migrate', () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
	afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

	const run = async (...args: string[]) => {
		const env = { PATH: process.env.PATH, SIGNALBOX_DATA_DIR: dataDir }
		const child = spawn(process.execPath, [bin, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
		const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
		const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
		return { code, output, errors }
	}
	const status = async () => JSON.parse((await run('migrate', 'status', '--json')).output)

	it('status names what is lacking and makes nothing; up brings both stores to the newest schema', async () => {
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

	it('a store of a newer program is refused in one line', async () => {
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
