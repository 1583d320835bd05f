import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findOnPath } from '../sandbox/sandbox.ts'
import { installPackage } from './install-package.ts'

const folder = mkdtempSync(join(tmpdir(), 'signalbox-scripts-'))
const marker = join(folder, 'executed')
const run = `echo "$npm_lifecycle_event $PWD $0 $*" >> ${marker}`
const scripts = { preinstall: run, install: run, postinstall: run, prepare: run, prepack: run }
let registry: Server
let url = ''

/** A folder with a package in which every script leaves a trace. */
function source(name: string, more: object = {}): string {
	const path = join(folder, 'sources', name, 'package')
	mkdirSync(path, { recursive: true })
	const manifest = { name, version: '1.0.0', bin: 'run.js', scripts, ...more }
	writeFileSync(join(path, 'package.json'), JSON.stringify(manifest))
	writeFileSync(join(path, 'run.js'), '')
	return path
}

function pack(name: string, more: object = {}) {
	const path = source(name, more)
	const file = join(folder, `${name}.tgz`)
	execFileSync('tar', ['-czf', file, '-C', join(path, '..'), 'package'])
	return { manifest: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')), file: readFileSync(file) }
}

/** The npm of this machine, and other versions if NPM_VERSIONS lists their folders. */
const npms = [findOnPath('npm') as string, ...(process.env.NPM_VERSIONS?.split(':') ?? [])]

describe.each(npms)('a package that tries to run something while %s installs it', (npm) => {
	const never = { signal: new AbortController().signal, npm }
	beforeAll(async () => {
		const repository = source('by-git')
		writeFileSync(join(repository, '.npmrc'), `git=${join(folder, 'git')}\n`)
		writeFileSync(join(folder, 'git'), `#!/bin/sh\n${run}\n`)
		chmodSync(join(folder, 'git'), 0o755)
		const git = (...args: string[]) =>
			execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
				cwd: repository,
			})
		if (!existsSync(join(repository, '.git'))) git('init', '-q')
		git('add', '.')
		git('commit', '-qm', 'one', '--allow-empty')
		const packages: Record<string, ReturnType<typeof pack>> = {}
		registry = createServer((request, response) => {
			const [, name = '', file] = (request.url ?? '').split('/')
			const found = packages[decodeURIComponent(name)]
			if (!found) return void response.writeHead(404).end('{}')
			if (file) return void response.end(found.file)
			const integrity = `sha512-${createHash('sha512').update(found.file).digest('base64')}`
			const dist = { tarball: `${url}/${name}/${name}-1.0.0.tgz`, integrity }
			const versions = { '1.0.0': { ...found.manifest, dist } }
			response.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions }))
		})
		await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done))
		url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
		packages.plain = pack('plain')
		packages['with-scripts'] = pack('with-scripts', { dependencies: { plain: '1.0.0' } })
		packages['with-git'] = pack('with-git', { dependencies: { 'by-git': `git+file://${repository}` } })
		packages['with-address'] = pack('with-address', {
			dependencies: { plain: `${url}/plain/plain-1.0.0.tgz?x` },
		})
		packages['with-folder'] = pack('with-folder', { dependencies: { plain: `file:${source('plain')}` } })
	})
	afterAll(() => {
		registry.close()
		rmSync(join(folder, 'target'), { recursive: true, force: true })
	})
	const install = (name: string) =>
		installPackage(
			join(folder, 'target', name),
			{ name, range: '1.0.0' },
			{ ...never, env: { npm_config_registry: url } },
		)

	it('runs nothing, whatever scripts it has', async () => {
		expect(await install('with-scripts')).toMatchObject({ name: 'with-scripts', version: '1.0.0' })
		expect(existsSync(marker)).toBe(false)
	})

	it.each(['with-git', 'with-address', 'with-folder'])('is refused, and runs nothing, %s', async (name) => {
		await expect(install(name)).rejects.toThrow(/npm could not install|from elsewhere than the registry/)
		expect(existsSync(marker) ? readFileSync(marker, 'utf8') : '').toBe('')
		expect(existsSync(join(folder, 'target', name))).toBe(false)
	})
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))
