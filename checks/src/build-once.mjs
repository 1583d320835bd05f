import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const waitMs = 100
/** A lock file without a process id is being written, or its writer died at that moment. */
const unnamedMs = 5000

/**
 * Builds unless `isFresh` returns true. If several processes call it, one builds and the others wait for it. `lock` is the path of a
 * lock file beside the build; a lock whose process has exited is ignored.
 */
export function buildOnce({ lock, isFresh, build }) {
	if (isFresh()) return
	mkdirSync(dirname(lock), { recursive: true })
	while (!isFresh()) {
		if (!take(lock)) {
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs)
			continue
		}
		try {
			// Another process may have built it between the check and the lock.
			if (!isFresh()) build()
		} finally {
			rmSync(lock, { force: true })
		}
		return
	}
}

function take(lock) {
	try {
		const file = openSync(lock, 'wx')
		writeSync(file, String(process.pid))
		closeSync(file)
		return true
	} catch (error) {
		if (error.code !== 'EEXIST') throw error
		if (isLeft(lock)) rmSync(lock, { force: true })
		return false
	}
}

function isLeft(lock) {
	try {
		const pid = Number(readFileSync(lock, 'utf8'))
		return pid > 0 ? !isRunning(pid) : Date.now() - statSync(lock).mtimeMs > unnamedMs
	} catch {
		// It was released in the meantime.
		return false
	}
}

function isRunning(pid) {
	try {
		process.kill(pid, 0)
		return true
	} catch (error) {
		return error.code === 'EPERM'
	}
}
