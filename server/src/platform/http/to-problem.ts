import { StoreUnavailable } from '../clickhouse/index.ts'
import { Problem } from '../errors.ts'

/** Codes of PostgreSQL (connection, shutdown, too many connections) and of sockets, and SQLite's busy, full and I/O errors. */
const storeDownCodes = /^(08\w{3}|57P0\d|53300|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND)$/
const sqliteDownCodes: ReadonlySet<number> = new Set([5, 6, 10, 13, 14])

/** Gives everything thrown a name: a problem as it is, a store that does not answer 503, anything else 500. */
export function toProblem(error: unknown): Problem {
	if (error instanceof Problem) return error
	if (error instanceof StoreUnavailable || isControlStoreDown(error)) {
		return new Problem('store_unavailable', 'A store does not answer; try again shortly.', {
			retryAfterS: 2,
			cause: error,
		})
	}
	return new Problem('internal', undefined, { cause: error })
}

function isControlStoreDown(error: unknown): boolean {
	const { code, errcode, message } = (error ?? {}) as { code?: unknown; errcode?: unknown; message?: unknown }
	if (typeof code === 'string' && storeDownCodes.test(code)) return true
	if (typeof errcode === 'number' && sqliteDownCodes.has(errcode & 0xff)) return true
	return (
		typeof message === 'string' &&
		/Connection terminated|timeout exceeded when trying to connect/.test(message)
	)
}
