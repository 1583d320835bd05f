import type { ServerResponse } from 'node:http'
import type { ProblemCode } from '@signalbox/contract/problems'
import { StoreUnavailable } from '../clickhouse/store.ts'
import { refersToNothing, StoreStopped } from '../database/database.ts'
import { describeFullDisk } from '../disk-full.ts'
import { Problem, toProblemDocument } from '../errors.ts'
import { type Log, Repeats } from '../log.ts'
import { basePathFor } from './paths.ts'
import type { RefusalWriter } from './route.ts'

/** Sends one JSON document with its length; the connection stays open. */
export function sendJson(
	response: ServerResponse,
	status: number,
	body: unknown,
	contentType = 'application/json',
): void {
	const bytes = Buffer.from(JSON.stringify(body))
	response.writeHead(status, {
		'content-type': contentType,
		'content-length': bytes.length,
		'cache-control': 'no-store',
	})
	response.end(bytes)
}

/** RFC 9457, the error format of the platform API and of pages. */
export const refuseWithProblem: RefusalWriter = (request, response, problem, requestId) => {
	const document = toProblemDocument(problem, requestId, basePathFor(request))
	sendJson(response, problem.status, document, 'application/problem+json')
}

/**
 * PostgreSQL codes: connections (08, 57P0), resources and the system (53, 58), a cancelled statement, a read-only standby, and
 * conflicting transactions (which stored nothing). Also socket errors, and SQLite's busy and I/O errors.
 */
const storeDownCodes =
	/^(08\w{3}|53\w{3}|58\w{3}|57P0\d|57014|25006|40001|40P01|55P03|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_\w+|E(HOST|NET)\w+)$/
const sqliteDownCodes: ReadonlySet<number> = new Set([5, 6, 10, 14])

/**
 * Turns anything thrown into a problem: a problem stays as it is, a full disk or an unavailable store becomes 503, a write for an
 * object or workspace that was deleted at that moment 404, anything else 500.
 */
export function toProblem(error: unknown): Problem {
	if (error instanceof Problem) return error
	if (error instanceof StoreStopped)
		return new Problem('store_unavailable', error.message, { retryAfterS: 60, cause: error.cause ?? error })
	const fullDisk = describeFullDisk(error)
	if (fullDisk !== null)
		return new Problem('disk_full', `${fullDisk}: nothing can be stored until there is room.`, {
			retryAfterS: 5,
			cause: error,
		})
	if (error instanceof StoreUnavailable || isControlStoreDown(error)) {
		const reason = error instanceof StoreUnavailable ? error.message : 'The control store does not answer.'
		return new Problem('store_unavailable', `${reason} Try again shortly.`, {
			retryAfterS: 2,
			cause: error,
		})
	}
	if (refersToNothing(error))
		return new Problem('not_found', 'What this request belongs to was deleted meanwhile.', { cause: error })
	return new Problem('internal', undefined, { cause: error })
}

function isControlStoreDown(error: unknown): boolean {
	const { code, errcode, message, syscall } = (error ?? {}) as Record<string, unknown>
	// The socket of a PostgreSQL server on this machine is a file, which is missing while it is stopped.
	if (code === 'ENOENT' && syscall === 'connect') return true
	if (typeof code === 'string' && storeDownCodes.test(code)) return true
	if (typeof errcode === 'number' && sqliteDownCodes.has(errcode & 0xff)) return true
	return (
		typeof message === 'string' &&
		/Connection terminated|timeout exceeded when trying to connect|is not queryable/.test(message)
	)
}

/** States of the instance that refuse every request while they last. What detects them logs their beginning. */
const lasting: ReadonlySet<ProblemCode> = new Set([
	'recorder_full',
	'disk_full',
	'store_unavailable',
	'stale_permissions',
	'shutting_down',
])

/** Logs failed requests: a bug with its stack, an expected failure without, and a lasting one at most once a minute. */
export class FaultLog {
	readonly #log: Log
	readonly #repeats = new Repeats()

	constructor(log: Log) {
		this.#log = log
	}

	note(problem: Problem, fields: object, text: string): void {
		const { code, status, message, cause } = problem
		// Overload logs its own levels.
		if (status < 500 || code === 'overloaded') return
		if (code === 'internal') {
			this.#log.error({ err: cause ?? problem, ...fields }, text)
			return
		}
		const requests = lasting.has(code) ? this.#repeats.take(code) : 1
		if (requests === 0) return
		const reason = cause instanceof Error && cause.message !== message ? { cause: cause.message } : {}
		this.#log.warn({ code, reason: message, ...reason, ...fields, ...(requests > 1 && { requests }) }, text)
	}
}
