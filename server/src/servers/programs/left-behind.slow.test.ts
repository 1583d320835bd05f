import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commandsWith } from './testing.ts'

it('a killed host leaves neither programs nor their children behind', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'left-behind-'))
	const mark = `left-behind-${process.pid}`
	const host = spawn(process.execPath, [join(import.meta.dirname, 'left-behind.testing.ts'), mark], {
		stdio: ['ignore', 'pipe', 'inherit'],
		env: { ...process.env, TMPDIR: folder },
	})
	await new Promise((done) => host.stdout.once('data', done))
	expect(commandsWith(mark)).toBeGreaterThan(1)
	host.kill('SIGKILL')
	await expect.poll(() => commandsWith(mark), { timeout: 10_000 }).toBe(0)
	rmSync(folder, { recursive: true, force: true })
})
