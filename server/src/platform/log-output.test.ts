import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

const logModule = new URL('./log.ts', import.meta.url).href

/** A process that logs this many lines and exits. */
function logAndExit(lines: number) {
	const script = `const { createLog } = await import(${JSON.stringify(logModule)})
		const log = createLog('info')
		setTimeout(() => {
			for (let n = 0; n < ${lines}; n += 1) log.info({ n, pad: 'x'.repeat(1000) }, 'line')
			process.exit(0)
		}, 200)`
	const args = ['--input-type=module', '-e', script]
	return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}
const ended = (child: ReturnType<typeof logAndExit>) =>
	new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))

it('a program whose log reader has gone exits', async () => {
	const child = logAndExit(10)
	child.stdout.destroy()
	const timer = setTimeout(() => child.kill('SIGKILL'), 8000)
	await expect(ended(child)).resolves.toBe(0)
	clearTimeout(timer)
})

it('a program whose log reader is too slow exits', async () => {
	const child = logAndExit(2000)
	child.stdout.pause()
	const timer = setTimeout(() => child.kill('SIGKILL'), 8000)
	await expect(ended(child)).resolves.toBe(0)
	clearTimeout(timer)
	child.stdout.destroy()
})

it('lines logged right before the exit are written', async () => {
	const child = logAndExit(20)
	const lines = (await text(child.stdout)).trim().split('\n')
	expect(lines.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual([...Array(20).keys()])
})
