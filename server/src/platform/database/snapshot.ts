import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { ControlStore } from './database.ts'

const kept = 3

/**
 * Copies an SQLite store to `snapshots/` beside it before a migration and returns the path; null on PostgreSQL and in memory. The
 * file is named after the migration, so that a start that fails repeatedly replaces only its own copy.
 */
export async function snapshotBefore(store: ControlStore, migration: string): Promise<string | null> {
	const path = await fileOf(store)
	if (path === null) return null
	const directory = join(dirname(path), 'snapshots')
	mkdirSync(directory, { recursive: true, mode: 0o700 })
	const target = join(directory, `control.before-${migration}.db`)
	removeAbandoned(directory)
	// Several programs may try to migrate; one of them will, after each has made its copy.
	const partial = `${target}.${process.pid}.partial`
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
		.map((name) => join(directory, name))
		.map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
		.sort((a, b) => b.at - a.at)
	for (const { path } of newestFirst.slice(kept)) rmSync(path, { force: true })
}

/** Removes the partial copies of killed programs. */
function removeAbandoned(directory: string): void {
	for (const name of readdirSync(directory)) {
		const pid = name.match(/\.(\d+)\.partial$/)?.[1]
		if (pid && (Number(pid) === process.pid || !isAlive(Number(pid))))
			rmSync(join(directory, name), { force: true })
	}
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0)
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM'
	}
}

function syncPath(path: string): void {
	const file = openSync(path, 'r')
	try {
		fsyncSync(file)
	} finally {
		closeSync(file)
	}
}
