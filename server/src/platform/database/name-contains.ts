import { sql } from 'kysely'

/** A condition: the column `name` contains this text, whatever its case; `%` and `_` mean themselves. */
export function nameContains(text: string) {
	const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
	return sql<boolean>`lower(name) like ${pattern} escape '\\'`
}
