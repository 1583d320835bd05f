import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { SqliteConnection } from './connection.ts'

/** Commits within this time are checked together. */
const gatherMs = 50
/** Used if the file system reports no events. */
const pollMs = 200

const versionQuery = { sql: 'PRAGMA data_version', parameters: [] }

/**
 * Calls `wake` after commits of other connections and processes, until the returned function is called. Every commit appends to the
 * write-ahead log beside the database, and the kernel reports the change of that file, so an idle program needs no polling. A
 * connection does not see its own commits in `data_version`, so the reading connection is asked.
 */
export function watchCommits(path: string, reader: SqliteConnection, wake: () => void): () => Promise<void> {
	const version = () => reader.run<{ data_version: number }>(versionQuery).rows[0]?.data_version
	let seen = version()
	const check = () => {
		if (!reader.isOpen) return
		const now = version()
		if (now !== seen) wake()
		seen = now
	}
	let timer: NodeJS.Timeout | null = null
	const checkSoon = () => {
		timer ??= setTimeout(() => {
			timer = null
			check()
		}, gatherMs).unref()
	}
	let polling: NodeJS.Timeout | undefined
	const poll = () => {
		polling ??= setInterval(check, pollMs).unref()
	}
	const watcher = watchFile(`${path}-wal`, checkSoon, poll)
	return async () => {
		watcher?.close()
		clearInterval(polling)
		if (timer) clearTimeout(timer)
	}
}

/**
 * Watches the directory, because the file is created and deleted with the connections. `giveUp` is called if no more events will
 * come.
 */
function watchFile(path: string, onChange: () => void, giveUp: () => void): FSWatcher | null {
	const name = basename(path)
	try {
		const watcher = watch(dirname(path), { persistent: false }, (_event, changed) => {
			if (changed === null || changed === name) onChange()
		})
		return watcher.on('error', giveUp)
	} catch {
		giveUp()
		return null
	}
}
