import type { Columns } from './columns.ts'
import type { TableShape } from './tables.ts'

/**
 * Statements that make a table keep what is new in the codec that costs least, and what is older than a day in the one that takes
 * least room: the columns have no codec of their own any more, and parts get theirs by their age, when they are written and by a
 * merge later. `made` are the columns that no row brings. Rows that are there stay as they are until a merge comes by.
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
		`ALTER TABLE ${name} MODIFY TTL toDateTime(${at}) + INTERVAL 1 DAY RECOMPRESS CODEC(ZSTD(1)) SETTINGS materialize_ttl_after_modify = 0`,
	]
}
