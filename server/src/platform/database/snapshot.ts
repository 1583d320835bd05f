import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { ControlStore } from './database.ts'

const kept = 3

/**
 * Copies an SQLite store to `snapshots/` beside it before a migration, and returns the path; null on PostgreSQL and in
 * memory. The name is the migration's, so that a start that fails over and over replaces its own copy only.
 */
export async function snapshotBefore(store: ControlStore, migration: string): Promise<string | null> {
	const path = await fileOf(store)
	if (path === null) return null
	const directory = join(dirname(path), 'snapshots')
	mkdirSync(directory, { recursive: true, mode: 0o700 })
	const target = join(directory, `control.before-${migration}.db`)
	const partial = `${target}.partial`
	rmSync(partial, { force: true })
	await sql`vacuum into ${partial}`.execute(store.db)
	syncPath(partial)
	renameSync(partial, target)
	syncPath(directory)
	removeOld(directory)
	return target
}

/** The file of an SQLite store; null on PostgreSQL and in memory. */
export async function fileOf(store: ControlStore): Promise<string | null> {
	if (store.kind !== 'sqlite') return null
	const { rows } = await sql<{ name: string; file: string }>`pragma database_list`.execute(store.db)
	return rows.find(({ name }) => name === 'main')?.file || null
}

function removeOld(directory: string): void {
	const newestFirst = readdirSync(directory)
		.filter((name) => name.endsWith('.db'))
		.map((name) => ({ path: join(directory, name), at: statSync(join(directory, name)).mtimeMs }))
		.sort((a, b) => b.at - a.at)
	for (const { path } of newestFirst.slice(kept)) rmSync(path)
}

function syncPath(path: string): void {
	const file = openSync(path, 'r')
	try {
		fsyncSync(file)
	} finally {
		closeSync(file)
	}
}
