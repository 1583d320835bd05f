import { execFile, execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { manifestPath, segmentPath } from './log-files.ts'
import { makeLogDirectory, openNotesRecorder, until } from './testing.ts'

// Each system call by which the log is written fails once: strace makes the kernel return an error.

/** Which call of a thread fails. In the short form it is one that comes after the log is open. */
const calls: Readonly<Record<string, number>> = {
	openat: 6,
	pwrite64: 5,
	pwritev: 2,
	write: 4,
	fdatasync: 9,
	fsync: 5,
	close: 5,
	rename: 1,
	unlink: 1,
	ftruncate: 1,
	statfs: 2,
}
const cases = Object.entries(calls).flatMap(([call, nth]) =>
	(process.env.LONG_TESTS ? [1, 2, 3, 4, 7, 12, 20] : [nth]).map((each) => [call, each] as const),
)
const program = fileURLToPath(new URL('./fault-writer.testing.ts', import.meta.url))
/** Traces all threads but stops them only at these system calls; stopping at every call would double the duration. */
const trace = ['-f', '--seccomp-bpf']

describe.skipIf(!canTrace())('one failing system call', () => {
	test.each(cases)(
		'%s, number %i of a thread: nothing is lost or duplicated, refused records never appear, and the log continues',
		async (call, nth) => {
			const log = await makeLogDirectory()
			try {
				const printed = await runWriter(log.directory, call, nth)
				const outcome = read(printed, await restart(log.directory))
				expect([...outcome.kept].filter((id) => outcome.stored.get(id) !== 1)).toEqual([])
				expect([...outcome.begun].filter((id) => outcome.stored.get(id) !== 1)).toEqual([])
				expect([...outcome.refused].filter((id) => outcome.stored.has(id))).toEqual([])
				expect([...outcome.stored].filter(([, count]) => count > 1)).toEqual([])
				if (outcome.kept.size > 0) expect(printed).toContain('works in the end')
			} finally {
				await log.remove()
			}
		},
		120_000,
	)
})

/** The writer's output, by line; empty if the log could not be opened. */
function runWriter(directory: string, call: string, nth: number): Promise<string[]> {
	const files = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => segmentPath(directory, number))
	const manifest = manifestPath(directory)
	const paths = [directory, ...files, manifest, `${manifest}.new`].flatMap((path) => ['-P', path])
	const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=EIO:when=${nth}`]
	const args = [...trace, '-qq', '-o', '/dev/null', ...paths, ...inject, process.execPath, program, directory]
	return new Promise((resolve) => {
		execFile('strace', args, { maxBuffer: 64 * 1024 * 1024 }, (_error, stdout) => resolve(stdout.split('\n')))
	})
}

/** The rows that the next start ships: those that the first one did not. */
async function restart(directory: string): Promise<string[]> {
	const inserted: string[] = []
	const recorder = await openNotesRecorder({
		directory,
		store: {
			async insertRowBinary({ rows, deduplicationToken }) {
				inserted.push(`insert ${deduplicationToken} ${rows.toString('base64')}`)
			},
		},
	})
	await until(() => recorder.stats().pendingRows === 0)
	expect(recorder.stats()).toMatchObject({ damagedRows: 0, damagedRecords: 0 })
	await recorder.close(1000)
	return inserted
}

/** Like the engine, drops an insert whose token was seen before. */
function read(...lives: string[][]) {
	const lines = lives.flat().map((line) => line.split(' '))
	const named = (what: string) => new Set(lines.filter(([verb]) => verb === what).map(([, id = '']) => id))
	const inserts = new Map(
		lines.filter(([verb]) => verb === 'insert').map(([, token, rows = '']) => [token, rows]),
	)
	const stored = new Map<string, number>()
	for (const rows of inserts.values())
		for (const [id] of Buffer.from(rows, 'base64')
			.toString('latin1')
			.matchAll(/(append|call)-\d+/g))
			stored.set(id, (stored.get(id) ?? 0) + 1)
	return { kept: named('kept'), begun: named('begun'), refused: named('refused'), stored }
}

function canTrace(): boolean {
	try {
		const args = [...trace, '-o', '/dev/null', process.execPath, '--version']
		execFileSync('strace', args, { stdio: 'ignore' })
		return true
	} catch {
		return false
	}
}
