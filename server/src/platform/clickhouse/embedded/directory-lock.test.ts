import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { explainForeignFile, requireOwnUser } from './directory-lock.ts'

const other = 54321
const module = new URL('./directory-lock.ts', import.meta.url).href

/** Only root can give files to another user, who must be able to run Node here. */
const hasOther =
	process.geteuid?.() === 0 && spawnSync(process.execPath, ['-v'], { uid: other, gid: other }).status === 0

describe.runIf(hasOther)('a data directory of another user', () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-owners-'))
	afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

	it('is not written to by commands of root, and its own user may', () => {
		expect(() => requireOwnUser(dataDir)).not.toThrow()
		writeFileSync(join(dataDir, 'engine.lock'), '')
		expect(() => requireOwnUser(dataDir)).not.toThrow()
		chownSync(join(dataDir, 'engine.lock'), other, other)
		expect(() => requireOwnUser(dataDir)).toThrow(
			`${dataDir} belongs to user ${other}, who could not read what user 0 writes there. Run this command as user ${other}`,
		)
		expect(readdirSync(dataDir)).toEqual(['engine.lock'])
	})

	it('is named with its first file that this user may not use', () => {
		chownSync(dataDir, other, other)
		writeFileSync(join(dataDir, 'manifest.log'), '')
		chmodSync(join(dataDir, 'manifest.log'), 0o600)
		const script = `console.log((await import(${JSON.stringify(module)})).explainForeignFile(${JSON.stringify(dataDir)}))`
		const run = { uid: other, gid: other, encoding: 'utf8', cwd: dataDir } as const
		expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], run)).toMatch(
			/manifest\.log belongs to user 0, and user 54321, who starts Signalbox, may not use it\. .*chown -R 54321 /,
		)
		expect(explainForeignFile(dataDir)).toBe(null)
	})
})
