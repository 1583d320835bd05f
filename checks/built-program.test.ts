import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

// A module in plain JavaScript has no types.
const module = new URL('../server/bin/built-program.mjs', import.meta.url).href
const { builds, builtProgram, isInUse, markInUse, packagesOf } = (await import(module)) as {
	builds: string
	builtProgram(checkout: string): string | null
	isInUse(build: string): boolean
	markInUse(build: string): void
	packagesOf(checkout: string): string
}

let checkout = ''
const begunAtMs = Date.now() - 60_000
beforeEach(async () => {
	checkout = await mkdtemp(join(tmpdir(), 'signalbox-checkout-'))
	for (const folder of ['server/src/gateway', 'contract/src', builds])
		await mkdir(join(checkout, folder), { recursive: true })
	await write('package-lock.json')
	await write('server/src/gateway/call.ts')
	await write('contract/src/index.ts')
	const packages = packagesOf(checkout)
	await write(`${builds}/current.json`, JSON.stringify({ directory: 'last', begunAtMs, packages }))
})
afterEach(() => rm(checkout, { recursive: true, force: true }))

/** Writes a file that was changed long before the build, or some seconds after it. */
async function write(name: string, text = name, secondsAfterBuild = -600): Promise<void> {
	await writeFile(join(checkout, name), text)
	const changed = new Date(begunAtMs + secondsAfterBuild * 1000)
	await utimes(join(checkout, name), changed, changed)
}

test('the build runs if nothing has changed since', () => {
	expect(builtProgram(checkout)).toBe(join(checkout, builds, 'last'))
})

test.each(['server/src/gateway/call.ts', 'server/src/gateway/new.ts', 'contract/src/index.ts'])(
	'the sources run if %s was changed after the build',
	async (name) => {
		await write(name, 'changed', 1)
		expect(builtProgram(checkout)).toBeNull()
	},
)

test('the build runs if only a test was changed', async () => {
	await write('server/src/gateway/call.test.ts', 'changed', 1)
	expect(builtProgram(checkout)).not.toBeNull()
})

test('the sources run if other packages are installed than were built in', async () => {
	await write('package-lock.json', 'changed')
	expect(builtProgram(checkout)).toBeNull()
})

test('a build is in use while a process that was started from it runs', async () => {
	const build = join(checkout, builds, 'last')
	await mkdir(build)
	expect(isInUse(build)).toBe(false)
	markInUse(build)
	expect(isInUse(build)).toBe(true)
	const { pid = 0 } = spawnSync(process.execPath, ['--version'])
	await rm(join(build, `in-use-${process.pid}`))
	await write(`${builds}/last/in-use-${pid}`, '')
	expect(isInUse(build)).toBe(false)
})

test('the sources run if there is no build', async () => {
	await rm(join(checkout, builds), { recursive: true })
	expect(builtProgram(checkout)).toBeNull()
})
