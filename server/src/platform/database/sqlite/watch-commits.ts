import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { SqliteConnection } from './connection.ts'

/** Commits that follow each other are looked for together. */
const gatherMs = 50
/** Where the file system tells nothing. */
const pollMs = 200

const versionQuery = { sql: 'PRAGMA data_version', parameters: [] }

/**
 * Calls `wake` after commits of other connections and processes, until the result is called. Each commit is written behind the
 * database into its write-ahead log, of which the kernel tells; so a program with nothing to do is not woken for it. A
 * connection never sees its own commits in `data_version`, so the one that reads is asked.
 */
export function watchCommits(path: string, reader: SqliteConnection, wake: () => void): () => Promise<void> {
	const version = () => reader.run<{ data_version: number }>(versionQuery).rows[0]?.data_version
	let seen = version()
	const look = () => {
		if (!reader.isOpen) return
		const now = version()
		if (now !== seen) wake()
		seen = now
	}
	let timer: NodeJS.Timeout | null = null
	const lookSoon = () => {
		timer ??= setTimeout(() => {
			timer = null
			look()
		}, gatherMs).unref()
	}
	let polling: NodeJS.Timeout | undefined
	const poll = () => {
		polling ??= setInterval(look, pollMs).unref()
	}
	const watcher = watchFile(`${path}-wal`, lookSoon, poll)
	return async () => {
		watcher?.close()
		clearInterval(polling)
		if (timer) clearTimeout(timer)
	}
}

/** Through its directory: the file is made and removed with the connections. `giveUp`: nothing is told from now on. */
function watchFile(path: string, tell: () => void, giveUp: () => void): FSWatcher | null {
	const name = basename(path)
	try {
		const watcher = watch(dirname(path), { persistent: false }, (_event, changed) => {
			if (changed === null || changed === name) tell()
		})
		return watcher.on('error', giveUp)
	} catch {
		giveUp()
		return null
	}
}
