import { tracingChannel } from 'node:diagnostics_channel'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import koffi from 'koffi'

export interface QueryOutcome {
	bytes: Uint8Array
	/** Rows and bytes read, as the engine counts them. */
	rowsRead: number
	bytesRead: number
	/** Seconds. */
	elapsed: number
}

type QueryConnection = { readonly queryConnection: unique symbol }

/** The functions of the addon that we use. Parameters are raw values in ClickHouse's escaped (TSV) form, as in HTTP. */
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

/** C functions that the addon does not bind: the only way to pass binary rows in one piece. */
interface InsertLibrary {
	connect(directory: string): Promise<Pointer>
	close(connection: Pointer): void
	/** Resolves with the number of rows written; rejects with the engine's message. */
	insert(connection: Pointer, sql: string, format: string, body: Buffer): Promise<number>
}

const requireFromHere = createRequire(import.meta.url)

/** Loads the engine into this process; only the child process may call it. Throws if there is no library. */
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
				// One append of the whole body, so that the blocks, and with them the deduplication, never depend on how it arrived.
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
	/** Runs a call with a connection that nobody else uses; waits while all are taken. */
	use<Result>(call: (connection: Connection) => Promise<Result>): Promise<Result>
	/** Closes the idle connections; busy ones are closed when their call ends. */
	close(): void
}

/**
 * A fixed number of connections, opened on first use. A connection on which a call failed is discarded: the rest of the failed
 * query's output would otherwise precede the next query's result (measured).
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
	/** Number of connections for reads, which limits how many queries run at once. */
	readers: number
	/** Default limits of a read; a query may override them in its SETTINGS. */
	maxExecutionTimeS: number
	maxMemoryBytes: number
	maxResultBytes: number
}

export type Parameters = Record<string, string>

/** chDB opened on a directory. Every call runs off the event loop. */
export interface Engine {
	/** Waits for a free connection; rejects if the signal has fired by then. `kill` ends a running read. */
	read(sql: string, format: string, parameters: Parameters, signal?: AbortSignal): Promise<QueryOutcome>
	/** Ends the running read with this tag (`log_comment`), if any. */
	kill(tag: string): Promise<void>
	/** DDL and other statements that change something; one at a time. */
	write(sql: string, format: string, parameters: Parameters): Promise<QueryOutcome>
	/** Inserts rows in the given `format`; resolves with the engine's row count, which includes duplicates. */
	insert(sql: string, format: string, body: Buffer): Promise<number>
	/**
	 * A trivial query on a connection that reads and writes do not use. It rejects or never resolves when the engine is unhealthy.
	 */
	probe(): Promise<void>
	close(): void
}

/** For measurements: `npm run bench -- ingest` uses it to show the cost of each kind of statement. */
const statements = tracingChannel<unknown, { sql: string }>('signalbox.engine.statement')

const killSql = "KILL QUERY WHERE Settings['log_comment'] = {tag:String} ASYNC"

/**
 * Settings of the engine as a whole. For each table the engine checks for merges right after an insert or a mutation and then after
 * 0.1 s, 0.2 s and so on, doubling the delay (by default it grows by a tenth, which wakes an idle engine 60 times a second). The
 * first delay must be short: if a merge holds the parts of a mutation, the mutation starts only at the next check.
 *
 * While a merge or a mutation runs, its thread has a low priority: both can wait, queries and inserts cannot.
 */
const serverSettings = {
	background_processing_pool_thread_sleep_seconds_if_nothing_to_do: 0.05,
	background_processing_pool_task_sleep_seconds_when_no_work_multiplier: 2,
	background_processing_pool_task_sleep_seconds_when_no_work_random_part: 0.1,
	memory_worker_period_ms: 1000,
	...(ownsPriorities() && { os_threads_nice_value_merge_mutate: 10 }),
}

/**
 * In a user namespace (an unprivileged LXC container, a rootless container engine) root has the capability to set priorities, but the
 * kernel lets it only lower them. The engine trusts the capability, and would abort after its first merge.
 */
function ownsPriorities(): boolean {
	try {
		return /^\s*0\s+0\s+4294967295\s*$/.test(readFileSync('/proc/self/uid_map', 'utf8'))
	} catch {
		return true
	}
}

/** The library reads settings only from `config.xml` in the working directory. A private directory keeps out anybody else's. */
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
		// ASYNC, because the synchronous form never returned when it was measured.
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

/**
 * Compiling an expression to machine code takes 40 ms and more. Our queries never earn that back: over two million spans they take the
 * same time without, and the first visits after a start, and small stores, save a tenth of the engine's work.
 */
const withoutCompiler = [
	'compile_expressions=0',
	'compile_aggregate_expressions=0',
	'compile_sort_description=0',
]

/** The limits are the same for every query, so they are set on the connection; `readonly` prevents a query from lifting them. */
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
		...withoutCompiler,
		'readonly=2',
	]
	await addon.QueryAsyncConnection(connection, `SET ${limits.join(', ')}`, 'CSV')
	return connection
}
