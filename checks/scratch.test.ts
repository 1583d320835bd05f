import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openScratch } from './src/scratch.ts'

const source = new URL('./src/scratch.ts', import.meta.url).href

test('a run removes its own directory and those of killed runs', () => {
	const left = killedRun('const { path } = openScratch()')
	expect(existsSync(left)).toBe(true)
	const [scratch, other] = [openScratch(), openScratch()]
	expect(existsSync(left)).toBe(false)
	writeFileSync(join(scratch.path, 'file'), 'text')
	scratch.end()
	expect(existsSync(scratch.path)).toBe(false)
	// The directory of a run that is still active is kept.
	expect(existsSync(other.path)).toBe(true)
	other.end()
})

test.skipIf(process.getuid?.() !== 0)(
	'a disk that a killed run left mounted is unmounted and removed',
	() => {
		const left = killedRun(`import { execFileSync } from 'node:child_process'
		import { mkdirSync } from 'node:fs'
		const { path } = openScratch()
		mkdirSync(path + '/disk')
		execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', path + '/disk'])`)
		expect(existsSync(join(left, 'disk'))).toBe(true)
		openScratch().end()
		expect(existsSync(left)).toBe(false)
	},
)

/** Runs code in a process that kills itself. Returns the path of its scratch directory. */
function killedRun(code: string): string {
	const killed = `import { openScratch } from ${JSON.stringify(source)}
		${code}
		console.log(path)
		process.kill(process.pid, 'SIGKILL')`
	const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', killed], {
		cwd: fileURLToPath(new URL('.', import.meta.url)),
		encoding: 'utf8',
	})
	return stdout.trim()
}
