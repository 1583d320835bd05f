import { sql } from 'kysely'

/** A condition: one of these columns contains this text, whatever its case; `%` and `_` mean themselves. */
export function nameContains(text: string, columns: readonly string[] = ['name']) {
	const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
	const contains = columns.map((column) => sql`lower(${sql.ref(column)}) like ${pattern} escape '\\'`)
	return sql<boolean>`(${sql.join(contains, sql` or `)})`
}
