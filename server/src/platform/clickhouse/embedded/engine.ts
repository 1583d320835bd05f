import { createPool } from './connection-pool.ts'
import {
	type Addon,
	type InsertLibrary,
	loadEngineLibrary,
	type QueryConnection,
	type QueryOutcome,
} from './library.ts'

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

const killSql = "KILL QUERY WHERE Settings['log_comment'] = {tag:String} ASYNC"

/** Throws when the library is missing or the directory is in use. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
	const { addon, inserts } = loadEngineLibrary()
	const open = () => addon.CreateConnection(options.directory)
	const run = (connection: QueryConnection, sql: string, format: string, parameters: Parameters) =>
		addon.QueryAsyncConnection(connection, sql, format, parameters)
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
		insert: (sql, format, body) => insertPool.use((one) => inserts.insert(one, sql, format, body)),
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
