import type { Operation } from './operation.ts'
import { problems } from './problems.ts'

/** The GET of the same path. Its document is what `If-Match` is compared with, and its `ETag` is the one in answers. */
export function twinOf(operation: Operation, operations: readonly Operation[]): Operation | undefined {
	let reads = readsOf.get(operations)
	if (!reads) {
		reads = new Map(operations.filter(({ method }) => method === 'GET').map((read) => [read.path, read]))
		readsOf.set(operations, reads)
	}
	return reads.get(operation.path)
}

/** A cache by path, because every operation is looked up in the list of all several times. */
const readsOf = new WeakMap<readonly Operation[], ReadonlyMap<string, Operation>>()

/** Whether `If-Match` is evaluated: for every change of one object that can be read at the same path. */
export function takesIfMatch(operation: Operation, operations: readonly Operation[]): boolean {
	const { method, path } = operation
	const isOfOne = method === 'PATCH' || method === 'PUT' || (method === 'DELETE' && path.endsWith('}'))
	return isOfOne && twinOf(operation, operations) !== undefined
}

/** Whether `Idempotency-Key` is honoured: for every operation that creates something for an authenticated caller. */
export function takesIdempotencyKey({ method, status, access }: Operation): boolean {
	return method === 'POST' && status === 201 && !access.public
}

/** Whether answers have an `ETag` and `If-None-Match` is evaluated: for every read that needs a credential. */
export function takesIfNoneMatch({ method, access, response }: Operation): boolean {
	return method === 'GET' && !access.public && response !== null
}

export function isChange({ method }: Operation): boolean {
	return method !== 'GET'
}

/** Whether the telemetry store may reject the query because it is too large. */
function asksTelemetry({ path }: Operation): boolean {
	return path.startsWith('/v1/telemetry/') || path.startsWith('/v1/spotlight/')
}

/** Every status other than success that an operation can answer, in order. */
export function problemStatusesOf(operation: Operation, operations: readonly Operation[]): number[] {
	const own = (operation.problems ?? []).map((code) => problems[code].status)
	const statuses = new Set<number>([400, 500, 503, ...own])
	const add = (applies: boolean, ...of: number[]) => {
		if (applies) for (const status of of) statuses.add(status)
	}
	add(!operation.access.public, 401, 403)
	add(operation.path.includes('{'), 404)
	add(isChange(operation), 404, 409, 413, 415)
	// Signing in and the steps towards it: the handler checks the proof in the body.
	add(isChange(operation) && operation.access.public === true, 401, 403, 422)
	add(takesIfMatch(operation, operations), 412)
	add(takesIdempotencyKey(operation) || asksTelemetry(operation), 422)
	add(!operation.always, 429)
	return [...statuses].sort((a, b) => a - b)
}
