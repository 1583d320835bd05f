import type { Sealer } from '../../platform/crypto/seal.ts'
import { Problem } from '../../platform/errors.ts'
import type { TimeRange } from '../../platform/time-range.ts'
import type { SpanRow } from '../span-row.ts'
import type { Place } from './repository.ts'

/** Where a list goes on, and over which range it began: `-24h` must not move from page to page. */
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
	const parts = [
		String(last.startNs),
		last.traceId,
		last.spanId,
		...(range ? [range.startMs, range.endMs] : []),
	]
	return sealer.seal(parts.join(' '), sealedFor(workspaceId))
}

/** Throws Problem 400 for what this workspace was not given. */
export function openCursor(sealer: Sealer, workspaceId: string, cursor: string): Position {
	const [startNs, traceId, spanId, startMs, endMs] = unseal(sealer, workspaceId, cursor).split(' ') as [
		string,
		string,
		string,
		string?,
		string?,
	]
	const range = startMs === undefined ? null : { startMs: Number(startMs), endMs: Number(endMs) }
	return { place: { startNs, traceId, spanId }, range }
}

function unseal(sealer: Sealer, workspaceId: string, cursor: string): string {
	try {
		return sealer.open(cursor, sealedFor(workspaceId))
	} catch {
		const detail = 'is not a cursor that this list gave'
		throw new Problem('invalid_request', `cursor ${detail}.`, {
			errors: [{ pointer: '/cursor', code: 'cursor', detail }],
		})
	}
}
