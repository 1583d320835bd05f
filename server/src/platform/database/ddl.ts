import { type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely, sql } from 'kysely'

/** Helpers for migrations, portable across SQLite and PostgreSQL. */
type Schema = Kysely<unknown>
type Table = CreateTableBuilder<string, string>
interface Column {
	type: 'text' | 'integer' | 'bigint' | 'double precision'
	define(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder
}

export function column(type: Column['type'], define: Column['define'] = (built) => built.notNull()): Column {
	return { type, define }
}

export const id = column('text', (built) => built.primaryKey().notNull())
export const text = column('text')
export const unique = column('text', (built) => built.notNull().unique())
export const count = column('integer')
/** Milliseconds since 1970, UTC. */
export const time = column('bigint')
/** JSON as text. */
export const json = column('text')
/** 0 or 1. */
export const flag = column('integer')
export const owned = { created_at: time, updated_at: time }

/** A foreign key whose rows are deleted with their target. */
export function of(target: string): Column {
	return column('text', (built) => built.notNull().references(target).onDelete('cascade'))
}

export function optional({ type }: Column): Column {
	return column(type, (built) => built)
}

/** A column added to a table that has rows: they get `value`. */
export function withDefault({ type }: Column, value: string | number): Column {
	return column(type, (built) => built.notNull().defaultTo(value))
}

export async function createTable(
	db: Schema,
	name: string,
	columns: Record<string, Column>,
	add = (table: Table) => table,
): Promise<void> {
	let table: Table = db.schema.createTable(name)
	for (const [column, { type, define }] of Object.entries(columns)) {
		table = table.addColumn(column, typeText(type), define)
	}
	await add(table).execute()
}

export async function createIndex(db: Schema, table: string, columns: string[]): Promise<void> {
	await db.schema
		.createIndex(`${table}_${columns.join('_')}`)
		.on(table)
		.columns(columns)
		.execute()
}

/** Adds columns one by one: SQLite allows one per statement. */
export async function addColumns(db: Schema, table: string, columns: Record<string, Column>): Promise<void> {
	for (const [column, { type, define }] of Object.entries(columns))
		await db.schema.alterTable(table).addColumn(column, typeText(type), define).execute()
}

function typeText(type: Column['type']) {
	return type === 'double precision' ? sql`double precision` : type
}
