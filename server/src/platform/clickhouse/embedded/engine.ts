import { tracingChannel } from 'node:diagnostics_channel'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import koffi from 'koffi'

export interface QueryOutcome {
	bytes: Uint8Array
	/** Rows and bytes of the result, as the engine counts them. */
	rowsRead: number
	bytesRead: number
	/** Seconds. */
	elapsed: number
}

type QueryConnection = { readonly queryConnection: unique symbol }

/** The addon's calls that we use. Parameters are raw values in ClickHouse's escaped (TSV) form, as HTTP carries them. */
interface Addon {
	CreateConnection(directory: string): QueryConnection
	CloseConnection(connection: QueryConnection): void
	QueryAsyncConnection(
		connection: QueryConnection,
		sql: string,
		format: string,
		parameters?: Record<string, string>,
	): Promise<QueryOutcome>
}

type Pointer = object

/** The C functions that the addon does not bind: the only way to hand over binary rows whole. */
interface InsertLibrary {
	connect(directory: string): Promise<Pointer>
	close(connection: Pointer): void
	/** Resolves with the rows written; rejects with the engine's text. */
	insert(connection: Pointer, sql: string, format: string, body: Buffer): Promise<number>
}

const requireFromHere = createRequire(import.meta.url)

/** Loads the engine into this process; only the child process may call it. Throws where no library exists. */
function loadEngineLibrary(): { addon: Addon; inserts: InsertLibrary } {
	const { libchdbPath } = requireFromHere('chdb/libchdb') as { libchdbPath(): string }
	const path = libchdbPath()
	const addon = requireFromHere(join(dirname(path), 'chdb_node.node')) as Addon
	return { addon, inserts: bindInserts(path) }
}

type AsyncCall = (...args: unknown[]) => Promise<unknown>

function bindInserts(path: string): InsertLibrary {
	const library = koffi.load(path)
	const asyncCall = (signature: string): AsyncCall => promised(library.func(signature))
	const connect = asyncCall('void** chdb_connect(int argc, const char** argv)')
	const begin = asyncCall('void* chdb_stream_insert_n(void*, const char*, size_t, const char*, size_t)')
	const append = asyncCall('int chdb_stream_append(void*, const void*, size_t)')
	const done = asyncCall('void* chdb_stream_done(void*)')
	const close = library.func('void chdb_close_conn(void**)')
	const insertError = library.func('const char* chdb_stream_insert_error(void*)')
	const destroyInsert = library.func('void chdb_destroy_insert_stream(void*)')
	const resultError = library.func('const char* chdb_result_error(void*)')
	const rowsWritten = library.func('uint64_t chdb_result_rows_written(void*)')
	const destroyResult = library.func('void chdb_destroy_query_result(void*)')

	async function finish(stream: unknown): Promise<number> {
		const result = await done(stream)
		try {
			const failure = resultError(result) as string | null
			if (failure) throw new Error(failure)
			return Number(rowsWritten(result))
		} finally {
			destroyResult(result)
		}
	}

	return {
		async connect(directory) {
			const handle = await connect(2, ['chdb', `--path=${directory}`])
			if (!handle) throw new Error('the engine refused a connection for inserts')
			return handle as Pointer
		},
		close: (connection) => void close(connection),
		async insert(connection, sql, format, body) {
			const target = koffi.decode(connection, 'void*')
			const stream = await begin(target, sql, Buffer.byteLength(sql), format, format.length)
			try {
				const failure = insertError(stream) as string | null
				if (failure) throw new Error(failure)
				// One append of the whole body: the blocks, and so the deduplication, never depend on how it arrived.
				await append(stream, body, body.length)
				return await finish(stream)
			} finally {
				destroyInsert(stream)
			}
		},
	}
}

function promised(call: ReturnType<ReturnType<typeof koffi.load>['func']>): AsyncCall {
	return (...args) =>
		new Promise((resolve, reject) => {
			call.async(...args, (error: unknown, result: unknown) => (error ? reject(error) : resolve(result)))
		})
}

interface PoolOptions<Connection> {
	size: number
	open(): Promise<Connection>
	close(connection: Connection): void
}

interface Pool<Connection> {
	/** Runs one call with a connection of its own; waits its turn when all are taken. */
	use<Result>(call: (connection: Connection) => Promise<Result>): Promise<Result>
	/** Closes the idle connections; a running call's connection is closed when the call ends. */
	close(): void
}

/**
 * A fixed number of connections, opened when first needed. A connection on which a call failed is thrown away:
 * the rest of a failed query's output would otherwise stand at the head of the next query's result (measured).
 */
export function createPool<Connection>(options: PoolOptions<Connection>): Pool<Connection> {
	const idle: Connection[] = []
	const waiting: (() => void)[] = []
	let taken = 0
	let closed = false

	async function take(): Promise<void> {
		if (taken < options.size) taken++
		else await new Promise<void>((resolve) => waiting.push(resolve))
	}

	function release(): void {
		const next = waiting.shift()
		if (next) next()
		else taken--
	}

	function putBack(connection: Connection): void {
		if (closed) options.close(connection)
		else idle.push(connection)
	}

	return {
		async use(call) {
			await take()
			try {
				const connection = idle.pop() ?? (await options.open())
				const result = await closingOnFailure(connection, () => call(connection), options.close)
				putBack(connection)
				return result
			} finally {
				release()
			}
		},
		close() {
			closed = true
			for (const connection of idle.splice(0)) options.close(connection)
		},
	}
}

async function closingOnFailure<Connection, Result>(
	connection: Connection,
	call: () => Promise<Result>,
	close: (connection: Connection) => void,
): Promise<Result> {
	try {
		return await call()
	} catch (error) {
		close(connection)
		throw error
	}
}

export interface EngineOptions {
	directory: string
	/** Connections for reads; so many queries run at once. */
	readers: number
	/** Default limits of a read; a query may ask for others in its SETTINGS. */
	maxExecutionTimeS: number
	maxMemoryBytes: number
	maxResultBytes: number
}

export type Parameters = Record<string, string>

/** chDB opened on a directory. Every call runs off the event loop. */
export interface Engine {
	/** Waits its turn; rejects when the signal has fired by then. A running read is ended by `kill`. */
	read(sql: string, format: string, parameters: Parameters, signal?: AbortSignal): Promise<QueryOutcome>
	/** Ends the running read with this tag (`log_comment`), if there is one. */
	kill(tag: string): Promise<void>
	/** DDL and everything else that changes something; one at a time. */
	write(sql: string, format: string, parameters: Parameters): Promise<QueryOutcome>
	/** Inserts rows given in `format`; resolves with the engine's count of rows, which duplicates do not lower. */
	insert(sql: string, format: string, body: Buffer): Promise<number>
	/** A trivial query on a connection that no reads and writes share: rejects or never answers when the engine is ill. */
	probe(): Promise<void>
	close(): void
}

/** For measurements: `npm run bench -- ingest` tells by it what each kind of statement costs. */
const statements = tracingChannel<unknown, { sql: string }>('signalbox.engine.statement')

const killSql = "KILL QUERY WHERE Settings['log_comment'] = {tag:String} ASYNC"

/**
 * Settings of the engine as a whole. It looks whether there is something to merge for each table, at once after an insert or a mutation, and
 * again in 0.1 s, 0.2 s and so on, twice as long each time (as it comes, a tenth longer, which has an engine that does nothing wake 60 times a
 * second). The first of these must be short: a mutation that found its parts in a merge is begun by the next look only.
 */
const serverSettings = {
	background_processing_pool_thread_sleep_seconds_if_nothing_to_do: 0.05,
	background_processing_pool_task_sleep_seconds_when_no_work_multiplier: 2,
	background_processing_pool_task_sleep_seconds_when_no_work_random_part: 0.1,
	memory_worker_period_ms: 1000,
}

/** The library takes settings only as `config.xml` of the working directory; so nobody else's can be there either. */
function configure(directory: string): void {
	const settings = Object.entries(serverSettings).map(([name, value]) => `<${name}>${value}</${name}>`)
	mkdirSync(directory, { recursive: true, mode: 0o700 })
	writeFileSync(join(directory, 'config.xml'), `<clickhouse>${settings.join('')}</clickhouse>\n`)
	process.chdir(directory)
}

/** Throws when the library is missing or the directory is in use. Changes the working directory. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
	configure(join(options.directory, 'settings'))
	const { addon, inserts } = loadEngineLibrary()
	const open = () => addon.CreateConnection(options.directory)
	const run = (connection: QueryConnection, sql: string, format: string, parameters: Parameters) =>
		statements.tracePromise(() => addon.QueryAsyncConnection(connection, sql, format, parameters), { sql })
	const openReader = () => openLimited(addon, open, options)
	const close = (connection: QueryConnection) => addon.CloseConnection(connection)

	const writer = createPool({ size: 1, open: async () => open(), close })
	await writer.use(async (connection) => void (await run(connection, 'SELECT 1', 'CSV', {})))
	const readers = createPool({ size: options.readers, open: openReader, close })
	const prober = createPool({ size: 1, open: async () => open(), close })
	const insertPool = createInsertPool(inserts, options.directory)

	return {
		read: (sql, format, parameters, signal) =>
			readers.use(async (one) => {
				signal?.throwIfAborted()
				return run(one, sql, format, parameters)
			}),
		// ASYNC: the waiting form never answered when it was measured.
		kill: (tag) => prober.use(async (one) => void (await run(one, killSql, 'CSV', { tag }))),
		write: (sql, format, parameters) => writer.use((one) => run(one, sql, format, parameters)),
		insert: (sql, format, body) =>
			insertPool.use((one) => statements.tracePromise(() => inserts.insert(one, sql, format, body), { sql })),
		probe: () => prober.use(async (one) => void (await run(one, 'SELECT 1', 'CSV', {}))),
		close() {
			for (const pool of [readers, writer, prober, insertPool]) pool.close()
		},
	}
}

function createInsertPool(inserts: InsertLibrary, directory: string) {
	return createPool({
		size: 1,
		open: () => inserts.connect(directory),
		close: (connection) => inserts.close(connection),
	})
}

/** The limits are the same for every query, so they may stay on the connection; `readonly` then cannot be lifted again. */
async function openLimited(
	addon: Addon,
	open: () => QueryConnection,
	options: EngineOptions,
): Promise<QueryConnection> {
	const connection = open()
	const limits = [
		`max_execution_time=${options.maxExecutionTimeS}`,
		`max_memory_usage=${options.maxMemoryBytes}`,
		`max_result_bytes=${options.maxResultBytes}`,
		"result_overflow_mode='throw'",
		'readonly=2',
	]
	await addon.QueryAsyncConnection(connection, `SET ${limits.join(', ')}`, 'CSV')
	return connection
}
