import type { Columns } from './columns.ts'
import type { TableShape } from './tables.ts'

/**
 * Statements that make a table keep what is new in the codec that costs least, and what is older than two days in the one that
 * takes least room: the columns have no codec of their own any more, and a merge gives parts the one of their age. Spans of
 * yesterday still come, and a part of theirs would be merged at once for its codec alone. `made` are the columns that no row brings. Rows that are there stay as they are until a merge comes by.
 */
export function compressByAge(
	{ name, time: at }: TableShape,
	columns: Columns,
	made: Columns,
): readonly string[] {
	const codecs = [...columns, ...made]
		.filter(([, type]) => type.includes('CODEC'))
		.map(
			([column, type]) => `MODIFY COLUMN ${column} CODEC(${type.includes('Delta') ? 'Delta, ' : ''}Default)`,
		)
	return [
		`ALTER TABLE ${name} ${codecs.join(', ')}`,
		// Without a look at the parts that are there: they are compressed already.
		`ALTER TABLE ${name} MODIFY TTL toDateTime(${at}) + INTERVAL 2 DAY RECOMPRESS CODEC(ZSTD(1)) SETTINGS materialize_ttl_after_modify = 0`,
	]
}
