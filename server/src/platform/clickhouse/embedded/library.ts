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

export type QueryConnection = { readonly queryConnection: unique symbol }

/** The addon's calls that we use. Parameters are raw values in ClickHouse's escaped (TSV) form, as HTTP carries them. */
export interface Addon {
	CreateConnection(directory: string): QueryConnection
	CloseConnection(connection: QueryConnection): void
	QueryAsyncConnection(
		connection: QueryConnection,
		sql: string,
		format: string,
		parameters?: Record<string, string>,
	): Promise<QueryOutcome>
}

export type Pointer = object

/** The C functions that the addon does not bind: the only way to hand over binary rows whole. */
export interface InsertLibrary {
	connect(directory: string): Promise<Pointer>
	close(connection: Pointer): void
	/** Resolves with the rows written; rejects with the engine's text. */
	insert(connection: Pointer, sql: string, format: string, body: Buffer): Promise<number>
}

const requireFromHere = createRequire(import.meta.url)

/** Loads the engine into this process; only the child process may call it. Throws where no library exists. */
export function loadEngineLibrary(): { addon: Addon; inserts: InsertLibrary } {
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
