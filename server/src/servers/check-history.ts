import type { OutputOf, serverOperations } from '@signalbox/contract'
import { toIso } from '../platform/clock.ts'
import { Problem } from '../platform/errors.ts'
import { type CheckRow, listChecks } from './checks-repository.ts'
import { type Caller, type ServerContext, serverOrNotFound } from './server-context.ts'

type History = OutputOf<(typeof serverOperations)['healthHistory']>

/** A page of a server's checks, newest first; the cursor is the id of the last one shown. */
export async function readHistory(
	{ store }: ServerContext,
	{ workspaceId }: Caller,
	id: string,
	{ limit, cursor }: { limit: number; cursor?: string },
): Promise<History> {
	if (cursor !== undefined && !/^[0-9a-f-]{36}$/.test(cursor)) throw badCursor()
	await serverOrNotFound(store.db, workspaceId, id)
	const rows = await listChecks(store.db, workspaceId, id, cursor ?? null, limit + 1)
	const shown = rows.slice(0, limit)
	const last = rows.length > limit ? shown.at(-1) : undefined
	return { health_checks: shown.map(presentCheck), next_cursor: last?.id ?? null }
}

function presentCheck({ id, at, status, latency_ms, error, protocol_version, tools }: CheckRow) {
	return {
		id,
		at: toIso(at),
		status: status as History['health_checks'][number]['status'],
		...{ latency_ms, error, protocol_version, tools },
	}
}

function badCursor(): Problem {
	const detail = 'is not a cursor that this list gave'
	return new Problem('invalid_request', `cursor: ${detail}.`, {
		errors: [{ pointer: '/cursor', code: 'cursor', detail }],
	})
}
