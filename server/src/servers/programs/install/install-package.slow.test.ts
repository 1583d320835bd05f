import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestPrograms, specOf } from '../testing.ts'
import { InstallFailure, installPackage } from './install-package.ts'

describe('a package', () => {
	const folder = mkdtempSync(join(tmpdir(), 'signalbox-install-'))
	// The same umask as in the program: only its own user can access what it writes.
	let before: number
	beforeAll(() => {
		before = process.umask(0o077)
	})
	afterAll(() => {
		process.umask(before)
		rmSync(folder, { recursive: true, force: true })
	})
	const { NODE_EXTRA_CA_CERTS = '', HTTPS_PROXY = '' } = process.env
	const never = { signal: new AbortController().signal, env: { NODE_EXTRA_CA_CERTS, HTTPS_PROXY } }
	const install = (name: string, range: string) =>
		installPackage(join(folder, 'package'), { name, range }, never)

	it('is downloaded, pinned with its integrity, and runs in the sandbox without the registry', async () => {
		const installed = await install('@modelcontextprotocol/server-sequential-thinking', '2026.8.31')
		expect(installed).toMatchObject({
			version: '2026.8.31',
			integrity: expect.stringMatching(/^sha512-/),
			script: expect.stringMatching(/dist\/index\.js$/),
		})
		const programs = openTestPrograms()
		// Node's own copy function creates folders with our umask, which the program's user could not read.
		mkdirSync(programs.folderOf('one'))
		execFileSync('cp', ['-a', join(folder, 'package'), programs.folderOf('one')])
		const spec = { command: 'npx', args: [], package: installed, accepted: 'without a sandbox' } as const
		programs.specs.set('one', specOf('one', spec))
		const { messages } = await programs.client().initialize()
		expect(messages[0].result.serverInfo.name).toContain('sequential')
		await programs.close()
	})

	it('that does not exist or has no program leaves the previous one in place', async () => {
		await expect(install('ms', '99.99.99')).rejects.toThrow(InstallFailure)
		await expect(install('ms', '2.1.3')).rejects.toThrow('The package has no program')
		expect(existsSync(join(folder, 'package/node_modules/@modelcontextprotocol'))).toBe(true)
	})

	it('comes only from the registry', async () => {
		for (const elsewhere of ['file:/etc', 'git+https://github.com/npm/ini.git', 'http://127.0.0.1:1/x.tgz'])
			await expect(install('elsewhere', `npm:${elsewhere}`)).rejects.toThrow(InstallFailure)
		expect(readdirSync(folder)).not.toContain('elsewhere')
	})
})
