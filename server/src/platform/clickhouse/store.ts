import type { Agent, AgentOptions } from 'node:http'
import { Readable } from 'node:stream'
import {
	type ClickHouseClient,
	ClickHouseLogLevel,
	type ClickHouseSettings,
	createClient,
} from '@clickhouse/client'
import { Problem } from '../errors.ts'
import type { Log } from '../log.ts'
import { http } from '../node-http.ts'
import {
	BodyFiles,
	bodyBytesHeader,
	bodyFileHeader,
	clearBodyFiles,
	engineRunHeader,
} from './embedded/child-process.ts'
import type { DirectoryLock } from './embedded/directory-lock.ts'
import {
	type EngineState,
	type EngineSupervisor,
	maxReadBytes,
	superviseEngine,
} from './embedded/supervisor.ts'

/** The telemetry store cannot be reached or is shutting down; the same call may succeed later. */
export class StoreUnavailable extends Error {
	override name = 'StoreUnavailable'
}

const connectionCodes = new Set([
	'ECONNREFUSED',
	'ECONNRESET',
	'ENOENT',
	'EPIPE',
	'ETIMEDOUT',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'ERR_SOCKET_CLOSED',
	'ERR_STREAM_PREMATURE_CLOSE',
])

/** ClickHouse: NETWORK_ERROR, ABORTED (engine stopping), TOO_MANY_SIMULTANEOUS_QUERIES, SOCKET_TIMEOUT. */
const unavailableClickHouseCodes = new Set(['210', '236', '202', '209'])

/** Runs a call of the client. Connection failures become StoreUnavailable; the engine's own errors pass. */
async function mapConnectionErrors<Result>(call: () => Promise<Result>): Promise<Result> {
	try {
		return await call()
	} catch (error) {
		if (!isConnectionError(error)) throw error
		throw new StoreUnavailable('The telemetry store does not answer.', { cause: error })
	}
}

function isConnectionError(error: unknown): boolean {
	if (!(error instanceof Error)) return false
	const code = 'code' in error ? String(error.code) : ''
	if (connectionCodes.has(code) || unavailableClickHouseCodes.has(code)) return true
	return /socket hang up|^Timeout error|premature close|^aborted$/i.test(error.message)
}

const intervalMs = 5_000

/** Pings a remote server every five seconds. */
function watchRemote(client: ClickHouseClient): { state(): EngineState; stop(): void } {
	let state: EngineState = 'starting'
	let timer: NodeJS.Timeout | undefined
	let stopped = false

	async function check(): Promise<void> {
		const { success } = await client.ping()
		state = success ? 'ready' : 'down'
		if (!stopped) timer = setTimeout(() => void check(), intervalMs).unref()
	}

	void check()
	return {
		state: () => state,
		stop() {
			stopped = true
			clearTimeout(timer)
		},
	}
}

const maxRemoteReadBytes = 2 ** 31
/** Limits of one read, and the format of its numbers. */
const querySettings: ClickHouseSettings = {
	max_execution_time: 30,
	output_format_json_quote_64bit_integers: 1,
	output_format_json_quote_decimals: 1,
}

/**
 * ClickHouse: TOO_MANY_ROWS, TIMEOUT_EXCEEDED, TOO_SLOW, MEMORY_LIMIT_EXCEEDED, TOO_MANY_BYTES, QUERY_WAS_CANCELLED (by a limit: a
 * client that has left reads no response), TOO_MANY_ROWS_OR_BYTES.
 */
const limitCodes: ReadonlySet<unknown> = new Set(['158', '159', '160', '241', '307', '394', '396'])

/** Runs a read. If the engine aborts it because of its size, that is a problem of the query; the engine itself is healthy. */
async function mapLimitErrors<Result>(read: () => Promise<Result>): Promise<Result> {
	try {
		return await read()
	} catch (error) {
		if (!(error instanceof Error && 'code' in error && limitCodes.has(error.code))) throw error
		// The limit of the whole engine, which inserts, merges and other reads share.
		if (error.message.includes('(total)'))
			throw new StoreUnavailable('The telemetry store is short of memory.', { cause: error })
		throw new Problem('question_too_large', undefined, { cause: error })
	}
}

/** The address at which another process of this program reaches the embedded engine, and the key of this start. */
export interface EngineAddress {
	socketPath: string
	key: string
}

export interface TelemetryStoreOptions {
	/** Directory of the embedded engine; unused with `url`. */
	dataDir: string
	/** A ClickHouse server: `http(s)://user:password@host:port/database`. No child process is started then. */
	url?: string | undefined
	/** The embedded engine that another process of this program runs. */
	engine?: EngineAddress | undefined
	/** Set if the caller already holds the lock of the directory. */
	lock?: DirectoryLock | undefined
	log: Log
}

export interface RowBinaryInsert {
	/** Table name, optionally with its database; letters, digits and underscores. */
	table: string
	columns: readonly string[]
	/** Rows in RowBinary, with columns in the order of `columns`; an array is concatenated. */
	rows: Buffer | readonly Buffer[]
	/** With `Native`, whole blocks that name their columns; those of `columns` that a block lacks are empty. */
	format?: 'Native' | 'RowBinary'
	/** The same token must always come with the same bytes: other rows with it are dropped silently. */
	deduplicationToken: string
}

export type StoreState = EngineState

/** The telemetry store. Every call rejects with StoreUnavailable while the engine cannot be reached. */
export interface TelemetryStore {
	/** The official client, for anything that the methods below do not cover. */
	client: ClickHouseClient
	insertRowBinary(insert: RowBinaryInsert): Promise<void>
	/**
	 * Runs one read statement without FORMAT. 64-bit integers and decimals in the rows are strings. Rejects with Problem
	 * `question_too_large` when it takes over 30 s or 2 GiB of memory (a quarter of the memory of a small machine), or its result exceeds 256 MiB.
	 */
	query<Row>(sql: string, parameters?: QueryParameters): Promise<Row[]>
	/** DDL or another statement without a result. */
	command(sql: string, parameters?: QueryParameters): Promise<void>
	/**
	 * Identifies the run of the engine or server. After a restart it may have forgotten the token of stored rows, or remember the
	 * token of lost rows.
	 */
	currentRun(): Promise<string>
	/** True if the engine answers a query now. */
	ready(): Promise<boolean>
	state(): StoreState
	/** Pid of the embedded engine's process, if it is running. */
	enginePid(): number | undefined
	/** Address of the embedded engine. */
	readonly engine?: EngineAddress | undefined
	close(): Promise<void>
}

const requestTimeoutMs = 120_000
/**
 * Opens the telemetry store: the embedded engine in its own process, or the server at `url`.
 * Rejects with a readable message when the directory is in use or the machine has no embedded engine.
 */
export async function openTelemetryStore(options: TelemetryStoreOptions): Promise<TelemetryStore> {
	if (options.url) return openRemote(createStoreClient({ url: options.url, max_open_connections: 64 }))
	const files = new BodyFiles(options.dataDir)
	if (options.engine)
		return { ...openRemote(createEngineClient(options.engine), files), engine: options.engine }
	const engine = await superviseEngine(options)
	clearBodyFiles(options.dataDir)
	const { socketPath, key } = engine
	const store = createStore(createEngineClient(engine), embeddedLife(engine), files)
	return { ...store, engine: { socketPath, key } }
}

function createEngineClient({ socketPath, key }: EngineAddress): ClickHouseClient {
	const agent = socketAgent(socketPath)
	return createStoreClient({ url: 'http://engine.invalid', password: key, http_agent: agent })
}

/** Node's agent passes its options to every connection, including `socketPath`, which its type lacks. */
function socketAgent(socketPath: string): Agent {
	const options: AgentOptions & { socketPath: string } = { keepAlive: true, maxSockets: 64, socketPath }
	return new http.Agent(options)
}

/** A store whose engine is run by somebody else. */
function openRemote(client: ClickHouseClient, files?: BodyFiles): TelemetryStore {
	const watch = watchRemote(client)
	const life: StoreLife = { state: watch.state, pid: () => undefined, stop: async () => watch.stop() }
	return createStore(client, life, files)
}

interface StoreLife {
	state(): StoreState
	pid(): number | undefined
	stop(): Promise<void>
}

function embeddedLife(engine: EngineSupervisor): StoreLife {
	return { state: () => engine.state(), pid: () => engine.pid(), stop: () => engine.stop() }
}

function createStoreClient(options: Parameters<typeof createClient>[0]): ClickHouseClient {
	return createClient({
		...options,
		application: 'signalbox',
		request_timeout: requestTimeoutMs,
		// Errors are thrown to the caller as well; the client's own log would print SQL to standard error.
		log: { level: ClickHouseLogLevel.OFF },
		use_multipart_params_auto: true,
		clickhouse_settings: { wait_end_of_query: 1 },
	})
}

/** @param files for an engine on this machine */
function createStore(client: ClickHouseClient, life: StoreLife, files?: BodyFiles): TelemetryStore {
	const maxBytes = files ? maxReadBytes : maxRemoteReadBytes
	return {
		client,
		insertRowBinary: (insert) => mapConnectionErrors(() => insertRowBinary(client, insert, files)),
		query: (sql, parameters = {}) =>
			mapConnectionErrors(() => mapLimitErrors(() => runQuery(client, sql, parameters, maxBytes))),
		command: (sql, parameters = {}) => mapConnectionErrors(() => runCommand(client, sql, parameters)),
		currentRun: () => mapConnectionErrors(() => readRun(client, files ? runOfEngine : runOfServer)),
		ready: async () => (await client.ping()).success,
		state: life.state,
		enginePid: life.pid,
		async close() {
			await client.close()
			await files?.removeIdle()
			await life.stop()
		},
	}
}

async function runQuery<Row>(
	client: ClickHouseClient,
	sql: string,
	parameters: QueryParameters,
	maxBytes: number,
): Promise<Row[]> {
	checkParameters(parameters)
	const answer = await client.query({
		query: sql,
		format: 'JSONEachRow',
		query_params: parameters,
		clickhouse_settings: { ...querySettings, max_memory_usage: String(maxBytes) },
	})
	return answer.json<Row>()
}

/** The embedded engine returns its run id in a header of each response. */
const runOfEngine = `SELECT '' AS run`
/** A server creates a new id for this table when it starts. */
const runOfServer = `SELECT toString(uuid) AS run FROM system.tables WHERE database = 'system' AND name = 'one'`

async function readRun(client: ClickHouseClient, query: string): Promise<string> {
	const answer = await client.query({ query, format: 'JSONEachRow' })
	const [row] = await answer.json<{ run: string }>()
	return String(answer.response_headers[engineRunHeader] ?? row?.run)
}

async function runCommand(client: ClickHouseClient, sql: string, parameters: QueryParameters): Promise<void> {
	checkParameters(parameters)
	await client.command({ query: sql, query_params: parameters })
}

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$/

async function insertRowBinary(
	client: ClickHouseClient,
	insert: RowBinaryInsert,
	files?: BodyFiles,
): Promise<void> {
	for (const name of [insert.table, ...insert.columns]) {
		if (!namePattern.test(name)) throw new TypeError(`"${name}" is not a table or column name.`)
	}
	const body = Buffer.isBuffer(insert.rows) ? insert.rows : Buffer.concat(insert.rows)
	const file = await files?.write(body)
	if (!file) return sendRows(client, insert, body)
	try {
		await sendRows(client, insert, body, file)
	} catch (error) {
		await files?.remove(file)
		throw error
	}
	files?.release(file)
}

/** @param file holds the body, which is then not sent */
async function sendRows(
	client: ClickHouseClient,
	insert: RowBinaryInsert,
	body: Buffer,
	file?: string,
): Promise<void> {
	const answer = await client.exec({
		query: `INSERT INTO ${insert.table} (${insert.columns.join(', ')}) FORMAT ${insert.format ?? 'RowBinary'}`,
		values: Readable.from(file ? [] : [body], { objectMode: false }),
		http_headers: { [bodyBytesHeader]: String(body.length), ...(file && { [bodyFileHeader]: file }) },
		clickhouse_settings: {
			insert_deduplication_token: insert.deduplicationToken,
			// A batch may hold spans of every day within the retention; their number is limited at ingest.
			max_partitions_per_insert_block: '0',
			// Materialised views receive the rows again and deduplicate them on their own, so a retry completes a view that missed
			// them in a crash.
			deduplicate_blocks_in_dependent_materialized_views: 1,
			insert_allow_materialized_columns: 1,
			// Planning the defaults of columns that a block might lack takes longer than a small insert. Columns that the insert does
			// not name still get theirs.
			input_format_defaults_for_omitted_fields: 0,
			async_insert: 0,
		},
	})
	answer.stream.resume()
	await new Promise((resolve, reject) => answer.stream.once('end', resolve).once('error', reject))
}

/** Values for `{name:Type}` placeholders: anything that the ClickHouse client can serialise. */
type QueryParameters = Record<string, unknown>

/**
 * Refuses text that UTF-8 cannot represent (lone surrogates), which would silently be changed on the way. Throws TypeError naming
 * the parameter. Callers with untrusted text use `String.prototype.toWellFormed()` first.
 */
function checkParameters(parameters: QueryParameters): void {
	for (const [name, value] of Object.entries(parameters)) {
		if (!isWellFormed(value)) throw new TypeError(`The query parameter "${name}" holds a lone surrogate.`)
	}
}

function isWellFormed(value: unknown): boolean {
	if (typeof value === 'string') return value.isWellFormed()
	if (value instanceof Date || typeof value !== 'object' || value === null) return true
	if (value instanceof Map) return [...value.entries()].every((entry) => entry.every(isWellFormed))
	return Object.entries(value).every((entry) => entry.every(isWellFormed))
}
