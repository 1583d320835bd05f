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
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Config } from '../../../config/config.ts'
import { isLoopbackHost } from '../../../config/parse.ts'
import { localAddress } from '../../../config/public-address.ts'
import { openTelemetryStore } from '../../../platform/clickhouse/store.ts'
import { systemClock, toIso } from '../../../platform/clock.ts'
import { askProgram } from '../../../platform/local-socket.ts'
import { silentLog } from '../../../platform/log.ts'
import { createSmtpTransport } from '../../../platform/mail/mailer.ts'
import {
	explainFewThreads,
	leastOpenFiles,
	memoryBytes,
	openFilesMax,
	raisesOpenFiles,
} from '../../../platform/resources.ts'
import { createSafeFetch } from '../../../platform/safe-fetch.ts'
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

/** With less memory than this, a burst of telemetry leaves the embedded engine too little. */
const leastMemoryMib = 768

export function checkMemory(
	{ CLICKHOUSE_URL }: Pick<Config, 'CLICKHOUSE_URL'>,
	bytes = memoryBytes(),
): Finding {
	const mebibytes = Math.floor(bytes / mebibyte)
	const detail = `${mebibytes} MiB`
	if (CLICKHOUSE_URL !== null || mebibytes >= leastMemoryMib) return ok('memory', detail)
	return warn(
		'memory',
		detail,
		'give the machine or the container 1 GiB, or set CLICKHOUSE_URL to a ClickHouse server',
	)
}

/** The limit of a program that is started from this shell; that of a service is set elsewhere. */
export function checkOpenFiles(limit = openFilesMax()): Finding {
	const detail = limit === null ? 'no limit is known' : `${limit} may be open at once if started from here`
	if (limit === null || limit >= leastOpenFiles) return ok('open files', detail)
	return warn('open files', detail, raisesOpenFiles)
}

/** Starts a real engine in a temporary directory, since an existing library may still fail to load. */
export async function checkEngine({ CLICKHOUSE_URL }: Config): Promise<Finding> {
	if (CLICKHOUSE_URL !== null) return ok('engine', 'not needed: CLICKHOUSE_URL is set')
	const dataDir = makeFolder(tmpdir())
	if (dataDir === null)
		return fail(
			'engine',
			`${tmpdir()} is not writable`,
			'set TMPDIR to a folder that is, to try the engine there',
		)
	try {
		const store = await openTelemetryStore({ dataDir, log: silentLog })
		const [row] = await store.query<{ version: string }>('SELECT version() AS version')
		await store.close()
		return ok('engine', `the embedded ClickHouse engine ${row?.version} starts`)
	} catch (error) {
		const fix = 'run `npm ci` again on this machine, or set CLICKHOUSE_URL to a ClickHouse server'
		return fail('engine', reasonOf(error), explainFewThreads(reasonOf(error)) ?? fix)
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
	let directory: string | null = null
	let file: number | null = null
	try {
		directory = mkdtempSync(join(nearestExisting(dataDir), '.signalbox-doctor-'))
		const opened = openSync(join(directory, 'flush'), 'w', 0o600)
		file = opened
		const block = randomBytes(4096)
		const took = Array.from({ length: 20 }, () => {
			const startedAt = performance.now()
			writeSync(opened, block)
			fdatasyncSync(opened)
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
		if (file !== null) closeSync(file)
		if (directory !== null) rmSync(directory, { recursive: true, force: true })
	}
}

/** A clock that was set back shows in files from the future; new data then gets wrong times. */
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

/** A new folder for a trial; null if there is no place for one. */
function makeFolder(parent: string): string | null {
	try {
		return mkdtempSync(join(parent, '.signalbox-doctor-'))
	} catch {
		return null
	}
}

function nearestExisting(path: string): string {
	return existsSync(path) ? path : nearestExisting(dirname(path))
}

/** If the program is stopped its ports must be free; if it is running the main port must respond. */
export async function checkPorts(config: Config, running: boolean): Promise<Finding[]> {
	const { HOST, PORT, OTLP_HTTP_PORT, OTLP_GRPC_PORT } = config
	if (running) return [await checkAnswers('main port', await listenerOf(config))]
	return [
		await checkFree('main port', HOST, PORT, 'SIGNALBOX_PORT', fail),
		...(OTLP_HTTP_PORT === 0
			? []
			: [await checkFree('OTLP port', HOST, OTLP_HTTP_PORT, 'SIGNALBOX_OTLP_HTTP_PORT', warn)]),
		...(OTLP_GRPC_PORT === 0
			? []
			: [await checkFree('OTLP/gRPC port', HOST, OTLP_GRPC_PORT, 'SIGNALBOX_OTLP_GRPC_PORT', warn)]),
	]
}

/** The program knows its own port, which the system or other settings than those of this shell may have chosen. */
async function listenerOf(config: Config): Promise<string> {
	const asked = await askProgram<string>(config.dataDir, 'listener', {}).catch(() => null)
	return asked?.result ?? localAddress(config, config.PORT)
}

async function checkFree(
	check: string,
	host: string,
	port: number,
	setting: string,
	bad: typeof fail,
): Promise<Finding> {
	const reason = await new Promise<string | null>((resolve) => {
		const server = createServer()
		server.once('error', (error) => resolve(error.message))
		server.listen(port, host, () => server.close(() => resolve(null)))
	})
	if (reason === null) return ok(check, port === 0 ? 'a free one is taken' : `${host}:${port} is free`)
	return bad(
		check,
		`${host}:${port} cannot be taken: ${reason}`,
		`end the program that has it, or set ${setting}`,
	)
}

async function checkAnswers(check: string, base: string): Promise<Finding> {
	try {
		const status = await statusOf(`${base}/readyz`)
		if (status === 200) return ok(check, `${base} is ready`)
		return fail(check, `${base}/readyz answers ${status}`, 'see the log of the program')
	} catch (error) {
		return fail(check, `${base} does not answer: ${reasonOf(error)}`, 'see the log of the program')
	}
}

/** The public URL should reach this program, also from this machine. */
export async function checkPublicUrl(config: Config, running: boolean): Promise<Finding[]> {
	const { PUBLIC_URL, HOST, TRUSTED_PROXIES } = config
	if (PUBLIC_URL === null) return []
	const proxy =
		isLoopbackHost(HOST) && !isLoopbackHost(new URL(PUBLIC_URL).hostname) && !TRUSTED_PROXIES
			? [
					warn(
						'proxy',
						'a proxy is in front and none is trusted: limits and audit see its address only',
						'set SIGNALBOX_TRUSTED_PROXIES to its network',
					),
				]
			: []
	return running ? [...proxy, await checkAnswers('public address', PUBLIC_URL.replace(/\/$/, ''))] : proxy
}

export async function checkMail({ SMTP_URL, MAIL_FROM }: Config): Promise<Finding[]> {
	if (SMTP_URL === null) return [ok('mail', 'no mail server: links reach the log and the operator')]
	try {
		await createSmtpTransport(SMTP_URL, MAIL_FROM ?? '').verify()
		return [ok('mail', `${new URL(SMTP_URL).hostname} takes mail`)]
	} catch (error) {
		return [fail('mail', `${new URL(SMTP_URL).hostname}: ${reasonOf(error)}`, 'correct SIGNALBOX_SMTP_URL')]
	}
}

export async function checkIssuers({ signInProviders }: Config): Promise<Finding[]> {
	return Promise.all(
		signInProviders.map(async ({ id, issuer, kind }) => {
			const check = `sign-in by ${id}`
			const url = kind === 'github' ? issuer : `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
			try {
				const status = await statusOf(url)
				if (status === 200) return ok(check, `${issuer} answers`)
				return fail(check, `${url} answers ${status}`, 'correct the _ISSUER of this provider')
			} catch (error) {
				return fail(check, `${url}: ${reasonOf(error)}`, 'correct the _ISSUER, or let this machine reach it')
			}
		}),
	)
}

/** These URLs are the operator's own settings, so any address is allowed. */
async function statusOf(url: string): Promise<number> {
	const everywhere = { allowedNetworks: ['0.0.0.0/0', '::/0'], loopbackAllowed: true, forbidden: () => [] }
	const safeFetch = createSafeFetch(everywhere)
	try {
		const answer = await safeFetch.fetch(url, { timeoutMs: 5000, maxBytes: 1024 * 1024 })
		await answer.body?.cancel()
		return answer.status
	} finally {
		await safeFetch.close()
	}
}
