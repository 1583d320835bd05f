import type { QueryOf, telemetryOperations } from '@signalbox/contract'
import { readTimeRange, type TimeRange } from '../../platform/time-range.ts'
import type { ReadDependencies } from './cursor.ts'
import { openPlace, sealPlace } from './cursor.ts'

/**
 * A position in a list by name. Names may be of any length, so it has the beginning of one, and a hash that distinguishes it from
 * others.
 */
interface NamePlace {
	start: string
	hash: string
}

interface Placed {
	name_start: string
	name_hash: string
}

/** The cursor contains the range, because `-24h` must not move from page to page. */
interface NameCursor extends NamePlace, TimeRange {}

const maxCharacters = 60

/** SQL for a list of groups by name; `columns` distinguish the groups. */
export function byName(name: string, columns: string) {
	const start = `leftUTF8(toString(${name}), ${maxCharacters})`
	const hash = `cityHash64(${columns})`
	return {
		columns: `${start} AS name_start, toString(${hash}) AS name_hash`,
		order: `${start}, ${hash}`,
		after: `AND (${start}, ${hash}) > ({place_start:String}, {place_hash:UInt64})`,
	}
}

export function placeParameters(place: NamePlace | null): Record<string, string> {
	return place ? { place_start: place.start, place_hash: place.hash } : {}
}

/** The requested part of a list. One row more than the limit shows that there is another page. */
export interface NamePage {
	range: TimeRange
	after: NamePlace | null
	limit: number
}

type Asked = Pick<QueryOf<(typeof telemetryOperations)['metrics']>, 'start' | 'end' | 'limit' | 'cursor'>

/** A page of such a list, and the cursor of the next. */
export async function readNamePage<Row extends Placed>(
	{ sealer, clock }: Pick<ReadDependencies, 'sealer' | 'clock'>,
	list: { workspaceId: string; kind: string },
	{ start, end, limit, cursor }: Asked,
	read: (page: NamePage) => Promise<Row[]>,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
	const after = cursor === undefined ? null : openPlace<NameCursor>(sealer, list, cursor)
	const asked = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
	const range = after ?? readTimeRange(asked, clock.nowMs())
	const found = await read({ range, after, limit: limit + 1 })
	const rows = found.slice(0, limit)
	const last = found.length > limit ? rows.at(-1) : undefined
	const { startMs, endMs } = range
	const place = last && { startMs, endMs, start: last.name_start, hash: last.name_hash }
	return { rows, nextCursor: place ? sealPlace(sealer, list, place) : null }
}
