import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const module = new URL('src/build-once.mjs', import.meta.url).href
let folder = ''
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'signalbox-build-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Starts a process that builds `name` in half a second. Each build adds a line to the file with that name. */
function startBuilder(name: string): Promise<number | null> {
	const script = `
		import { appendFileSync, existsSync } from 'node:fs'
		import { buildOnce } from ${JSON.stringify(module)}
		const built = ${JSON.stringify(join(folder, name))}
		buildOnce({
			lock: built + '.lock',
			isFresh: () => existsSync(built),
			build: () => {
				Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
				appendFileSync(built, 'built\\n')
			},
		})
		if (!existsSync(built)) process.exit(1)`
	const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
	return new Promise((resolve) => child.once('close', resolve))
}

test('if several processes find a stale build, one of them builds and the others wait for it', async () => {
	expect(await Promise.all([1, 2, 3].map(() => startBuilder('together')))).toEqual([0, 0, 0])
	expect(await readFile(join(folder, 'together'), 'utf8')).toBe('built\n')
})

test('the lock of a killed builder does not block others', async () => {
	const child = spawn(process.execPath, ['-e', ''])
	await new Promise((resolve) => child.once('close', resolve))
	await writeFile(join(folder, 'killed.lock'), String(child.pid))
	expect(await startBuilder('killed')).toBe(0)
	expect(await readFile(join(folder, 'killed'), 'utf8')).toBe('built\n')
})
