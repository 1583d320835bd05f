import { randomBytes } from 'node:crypto'
import {
	accessSync,
	closeSync,
	constants,
	existsSync,
	fdatasyncSync,
	mkdtempSync,
	openSync,
	rmSync,
	statfsSync,
	statSync,
	writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../../../config/config.ts'
import { openTelemetryStore } from '../../../platform/clickhouse/index.ts'
import { systemClock, toIso } from '../../../platform/clock.ts'
import { silentLog } from '../../../platform/log.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

const mebibyte = 1024 * 1024
const slowFlushMs = 25

/** Node and the C library that the engine needs. */
export function checkRuntime(): Finding {
	const header = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
	const glibc = header.header.glibcVersionRuntime
	const library = glibc ? `, glibc ${glibc}` : ''
	return ok('runtime', `Node ${process.version}, ${process.platform}-${process.arch}${library}`)
}

/** Starts a real engine in a directory of its own, since a library that is there may still not load. */
export async function checkEngine({ CLICKHOUSE_URL }: Config): Promise<Finding> {
	if (CLICKHOUSE_URL !== null) return ok('engine', 'not needed: CLICKHOUSE_URL is set')
	const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-doctor-'))
	try {
		const store = await openTelemetryStore({ dataDir, log: silentLog })
		const [row] = await store.query<{ version: string }>('SELECT version() AS version')
		await store.close()
		return ok('engine', `the embedded ClickHouse engine ${row?.version} starts`)
	} catch (error) {
		const fix = 'run `npm ci` again on this machine, or set CLICKHOUSE_URL to a ClickHouse server'
		return fail('engine', reasonOf(error), fix)
	} finally {
		rmSync(dataDir, { recursive: true, force: true })
	}
}

export function checkDataDirectory({ dataDir }: Config): Finding {
	const there = existsSync(dataDir)
	const parent = there ? dataDir : nearestExisting(dataDir)
	try {
		accessSync(parent, constants.R_OK | constants.W_OK | constants.X_OK)
	} catch {
		return fail('data directory', `${parent} is not writable`, `chown it to the user that runs Signalbox`)
	}
	if (!there) return ok('data directory', `${dataDir} is made at the first start`)
	const mode = statSync(dataDir).mode & 0o777
	if ((mode & 0o077) !== 0)
		return warn(
			'data directory',
			`${dataDir} is open to other users (${mode.toString(8)})`,
			`chmod 700 ${dataDir}`,
		)
	return ok('data directory', `${dataDir} (${mode.toString(8)})`)
}

export function checkKeyFile({ dataDir, MASTER_KEY }: Config): Finding {
	if (MASTER_KEY !== null) return ok('master key', 'given by SIGNALBOX_MASTER_KEY')
	const path = join(dataDir, 'master.key')
	if (!existsSync(path)) {
		if (!existsSync(join(dataDir, 'control.db')))
			return ok('master key', `${path} is made at the first start`)
		return fail(
			'master key',
			`${path} is missing`,
			'put it back from where you keep it: nothing else opens the secrets',
		)
	}
	const mode = statSync(path).mode & 0o777
	if ((mode & 0o077) !== 0) return fail('master key', `${path} is open to other users`, `chmod 600 ${path}`)
	return ok('master key', `${path} (${mode.toString(8)}); keep a copy elsewhere`)
}

export function checkDiskSpace({ dataDir, WAL_MAX_BYTES }: Config): Finding {
	const { bavail, bsize } = statfsSync(nearestExisting(dataDir))
	const free = bavail * bsize
	const detail = `${Math.round(free / mebibyte)} MiB free where ${dataDir} is`
	if (free < 256 * mebibyte) return fail('disk space', detail, 'make room: below this nothing is taken in')
	if (free < WAL_MAX_BYTES)
		return warn(
			'disk space',
			`${detail}, the log alone may take ${Math.round(WAL_MAX_BYTES / mebibyte)}`,
			'make room, or lower SIGNALBOX_WAL_MAX_BYTES',
		)
	return ok('disk space', detail)
}

/** Every acknowledgement waits for such a flush. */
export function checkDiskSpeed({ dataDir }: Config): Finding {
	const directory = mkdtempSync(join(nearestExisting(dataDir), '.signalbox-doctor-'))
	const file = openSync(join(directory, 'flush'), 'w', 0o600)
	try {
		const block = randomBytes(4096)
		const took = Array.from({ length: 20 }, () => {
			const startedAt = performance.now()
			writeSync(file, block)
			fdatasyncSync(file)
			return performance.now() - startedAt
		})
		const median = took.sort((a, b) => a - b)[10] as number
		const detail = `a flush of 4 KiB takes ${median.toFixed(2)} ms`
		return median > slowFlushMs
			? warn(
					'disk speed',
					detail,
					'put the data directory on a local disk: every acknowledgement waits for a flush',
				)
			: ok('disk speed', detail)
	} catch (error) {
		return fail('disk speed', reasonOf(error), 'check the disk')
	} finally {
		closeSync(file)
		rmSync(directory, { recursive: true, force: true })
	}
}

/** A clock that was set back shows in files from the future; what is stored then has the wrong times. */
export function checkClock({ dataDir }: Config): Finding {
	const nowMs = systemClock.nowMs()
	const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
	const detail = `${toIso(nowMs)}, this machine shows ${zone}; everything is stored in UTC`
	const newest = ['control.db', 'control.db-wal', 'wal/manifest.log']
		.map((name) => join(dataDir, name))
		.filter((path) => existsSync(path))
		.map((path) => statSync(path).mtimeMs)
	if (Math.max(0, ...newest) > nowMs + 60_000)
		return fail('clock', `${detail}; files in the data directory are from the future`, 'set the clock (NTP)')
	return ok('clock', detail)
}

function nearestExisting(path: string): string {
	return existsSync(path) ? path : nearestExisting(dirname(path))
}
