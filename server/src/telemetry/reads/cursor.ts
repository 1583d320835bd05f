import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { Problem } from '../../platform/errors.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import type { SpanRow } from '../span-row.ts'
import type { QueryStore } from './span-repository.ts'
import { type Place, placeOf } from './stored-span.ts'

export interface ReadDependencies {
	telemetry: QueryStore
	sealer: Sealer
	clock: Clock
}

/** Where a list continues, and the range with which it began, because `-24h` must not move from page to page. */
export interface Position {
	place: Place
	range: TimeRange | null
}

const sealedFor = (workspaceId: string) => ({ workspaceId, kind: 'span_cursor', origin: '', id: '' })

export function sealCursor(
	sealer: Sealer,
	workspaceId: string,
	last: SpanRow,
	range: TimeRange | null,
): string {
	const { startNs, traceId, spanId } = placeOf(last)
	const parts = [startNs, traceId, spanId, ...(range ? [range.startMs, range.endMs] : [])]
	return sealer.seal(parts.join(' '), sealedFor(workspaceId))
}

/** Throws Problem 400 for a cursor that this workspace was not given. */
export function openCursor(sealer: Sealer, workspaceId: string, cursor: string): Position {
	const [startNs, traceId, spanId, startMs, endMs] = unseal(sealer, sealedFor(workspaceId), cursor).split(
		' ',
	) as [string, string, string, string?, string?]
	const range = startMs === undefined ? null : { startMs: Number(startMs), endMs: Number(endMs) }
	return { place: { startNs, traceId, spanId }, range }
}

interface ListOf {
	workspaceId: string
	/** A cursor of one list is invalid in another. */
	kind: string
}

/** Seals any position as a cursor. */
export function sealPlace(sealer: Sealer, { workspaceId, kind }: ListOf, place: object): string {
	return sealer.seal(JSON.stringify(place), { workspaceId, kind, origin: '', id: '' })
}

/** Opens a cursor. Throws Problem 400 for one that was not given to this workspace and list. */
export function openPlace<T>(sealer: Sealer, { workspaceId, kind }: ListOf, cursor: string): T {
	return JSON.parse(unseal(sealer, { workspaceId, kind, origin: '', id: '' }, cursor)) as T
}

function unseal(sealer: Sealer, sealed: ReturnType<typeof sealedFor>, cursor: string): string {
	try {
		return sealer.open(cursor, sealed)
	} catch {
		const detail = 'is not a cursor that this list gave'
		throw new Problem('invalid_request', `cursor ${detail}.`, {
			errors: [{ pointer: '/cursor', code: 'cursor', detail }],
		})
	}
}
