import { execFileSync, spawnSync } from 'node:child_process'
import {
	chmodSync,
	chownSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
	explainDataDirectory,
	explainForeignFile,
	makeDataDirectory,
	requireOwnUser,
} from './directory-lock.ts'

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

	it('is named with its first file that this user may not use, unless it is itself a file', () => {
		chownSync(dataDir, other, other)
		const file = join(dataDir, 'manifest.log')
		writeFileSync(file, '')
		chmodSync(file, 0o600)
		const script = `const { explainForeignFile } = await import(${JSON.stringify(module)})
			console.log(...${JSON.stringify([dataDir, file])}.map(explainForeignFile))`
		const run = { uid: other, gid: other, encoding: 'utf8', cwd: dataDir } as const
		expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], run)).toMatch(
			/manifest\.log belongs to user 0, and user 54321, who starts Signalbox, may not use it\. .*chown -R 54321 .* null$/m,
		)
		expect(explainForeignFile(dataDir)).toBe(null)
	})
})

describe('a data directory that cannot be used', () => {
	const base = mkdtempSync(join(tmpdir(), 'signalbox-unusable-'))
	afterAll(() => rmSync(base, { recursive: true, force: true }))

	it('is made with its parents, and where that is impossible the attempt ends', () => {
		makeDataDirectory(join(base, 'deep', 'er'))
		makeDataDirectory(join(base, 'deep', 'er'))
		expect(explainDataDirectory(join(base, 'deep', 'er'))).toBe(null)
		expect(() => makeDataDirectory('/proc/signalbox/data')).toThrow('/proc/signalbox')
		expect(explainDataDirectory('/proc/signalbox/data')).toMatch(/cannot create .*: .*another data directory/)
		expect(existsSync('/proc/signalbox')).toBe(false)
		symlinkSync(join(base, 'gone'), join(base, 'link'))
		expect(explainDataDirectory(join(base, 'link', 'data'))).toMatch(
			/link is a link to something that does not/,
		)
		expect(explainDataDirectory(join(base, 'n'.repeat(256), 'data'))).toContain('longer than 255 bytes')
	})

	it('is explained when a file is where a directory must be, or a directory where a file must be', () => {
		const file = join(base, 'file')
		writeFileSync(file, '')
		for (const path of [file, join(file, 'below')])
			expect(explainDataDirectory(path)).toMatch(/file is a file, not a directory\. Move it away, or choose /)
		mkdirSync(join(base, 'master.key'))
		expect(explainDataDirectory(base)).toContain('master.key must be a file. Move it away')
		rmSync(join(base, 'master.key'), { recursive: true })
		writeFileSync(join(base, 'wal'), '')
		expect(explainDataDirectory(base)).toContain('wal must be a directory. Move it away')
	})
})
