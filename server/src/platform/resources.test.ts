import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { explainFewThreads } from './resources.ts'

/** Opens all files, and closes them again after a while. */
const program = `
	const { closeSync, openSync } = await import('node:fs')
	const { watchOpenFiles } = await import('./resources.ts')
	const write = (level) => (fields, text) => process.stdout.write(JSON.stringify({ level, ...fields, text }) + '\\n')
	watchOpenFiles({ warn: write('warn'), error: write('error'), info: write('info') })
	const opened = []
	try {
		for (;;) opened.push(openSync('/dev/null', 'r'))
	} catch {}
	const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
	await wait(2500)
	closeSync(opened.pop())
	await wait(1200)
	for (const file of opened) closeSync(file)
	await wait(1200)
`

it('a low limit of open files is reported, and once that they run out and are free again', async () => {
	const run = 'ulimit -n 200 && exec "$0" --input-type=module -e "$1"'
	const child = spawn('sh', ['-c', run, process.execPath, program], { cwd: import.meta.dirname })
	const lines = (await text(child.stdout)).trim().split('\n')
	expect(lines.map((line) => JSON.parse(line))).toEqual([
		{ level: 'warn', limit: 200, text: expect.stringContaining('LimitNOFILE') },
		{ level: 'error', limit: 200, text: expect.stringContaining('no more files can be opened') },
		{ level: 'info', limit: 200, text: 'files can be opened again' },
	])
})

it.each([
	'The telemetry engine did not start: spawn /opt/node EAGAIN',
	'Cannot schedule a task: failed to start the thread: std::exception. Code: 1001',
])('a start that ends because no thread can be started names the limit: %s', (reason) => {
	expect(explainFewThreads(reason)).toMatch(
		/^No more threads can be started \(limit: \w+\): .*ulimit -u 1024/,
	)
	expect(explainFewThreads(reason.replace(/EAGAIN|failed.*/, 'ENOENT'))).toBe(null)
})
