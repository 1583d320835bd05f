import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { InstalledPackage } from '../program-spec.ts'
import { findOnPath, systemPath } from '../sandbox/sandbox.ts'

const installMs = 180_000
const maxOutput = 4000

/** A package could not be installed; the message is for people. */
export class InstallFailure extends Error {}

export interface InstallOptions {
	signal: AbortSignal
	/** Environment with which npm reaches its registry: the operator's proxies and certificates. */
	env: Readonly<Record<string, string>>
	/** The npm to use instead of this machine's. */
	npm?: string
}

/**
 * Downloads an npm package with its dependencies into `folder` without running any of its code. The previous content is replaced
 * only when the download is complete. Rejects with an `InstallFailure`.
 */
export async function installPackage(
	folder: string,
	wanted: { name: string; range: string },
	options: InstallOptions,
): Promise<InstalledPackage> {
	const fresh = `${folder}.new`
	rmSync(fresh, { recursive: true, force: true })
	mkdirSync(fresh, { recursive: true })
	chmodSync(fresh, 0o755)
	await runNpm(fresh, [`${wanted.name}@${wanted.range}`], options)
	const installed = readInstalled(fresh, wanted.name)
	rmSync(folder, { recursive: true, force: true })
	renameSync(fresh, folder)
	return installed
}

/**
 * Runs no scripts, and allows nothing from outside the registry: no URLs, repositories or folders. npm before 11.10 has no
 * `--allow-*`, clones repositories and runs the `prepare` script of a folder despite `--ignore-scripts`. So npm gets neither git
 * nor a shell for scripts, and a lock file with packages from elsewhere is refused.
 */
const strict = [
	...[
		'--ignore-scripts',
		'--no-audit',
		'--no-fund',
		'--omit=dev',
		'--save-exact',
		'--install-strategy=hoisted',
	],
	'--git=/bin/false',
	'--script-shell=/bin/false',
	...['git', 'remote', 'file', 'directory'].map((source) => `--allow-${source}=none`),
]

/** Only our own user can access our files (umask 077), but a package is read by the program, which has another user id. */
const readable = 'umask 022; exec "$0" "$@"'

function runNpm(
	folder: string,
	packages: readonly string[],
	{ signal, env, npm = findOnPath('npm') ?? undefined }: InstallOptions,
): Promise<void> {
	if (npm === undefined) throw new InstallFailure('npm is not installed on this machine.')
	const args = [
		'install',
		...strict,
		'--prefix',
		folder,
		'--cache',
		join(dirname(folder), 'cache'),
		'--',
		...packages,
	]
	return new Promise((done, fail) => {
		const child = spawn('/bin/sh', ['-c', readable, npm, ...args], {
			cwd: folder,
			// npm's configuration contains the operator's own registry and its credentials.
			env: { ...env, PATH: systemPath.join(':'), HOME: homedir(), npm_config_update_notifier: 'false' },
			stdio: ['ignore', 'ignore', 'pipe'],
			timeout: installMs,
			signal,
		})
		let output = ''
		// There is none if no descriptor was left for it.
		child.stderr?.on('data', (chunk: Buffer) => {
			output = (output + chunk.toString()).slice(-maxOutput)
		})
		child.once('error', (error) => fail(new InstallFailure(`npm could not be run: ${error.message}`)))
		child.once('exit', (code) =>
			code === 0
				? done()
				: fail(new InstallFailure(`npm could not install the package: ${reasonIn(output)}`)),
		)
	})
}

/** The first informative line, without paths of this machine. */
function reasonIn(output: string): string {
	const lines = output
		.split('\n')
		.filter((line) => /^npm (error|ERR!) (?!A complete log|code |errno |syscall )/.test(line))
	return (lines[0] ?? 'npm failed').replace(/^npm (error|ERR!) /, '').slice(0, 300)
}

interface Lock {
	packages: Record<
		string,
		{ version?: string; integrity?: string; link?: boolean; dependencies?: Record<string, string> }
	>
}

function readInstalled(folder: string, name: string): InstalledPackage {
	const own = join('node_modules', name)
	const manifest = JSON.parse(readFileSync(join(folder, own, 'package.json'), 'utf8')) as {
		bin?: string | Record<string, string>
	}
	const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8')
	const { packages } = JSON.parse(lock) as Lock
	refuseOutsideRegistry(packages)
	const { version, integrity } = packages[own] ?? {}
	const script = scriptIn(manifest.bin, name)
	if (!version || !integrity) throw new InstallFailure('The registry gave no integrity for the package.')
	if (script === null) throw new InstallFailure('The package has no program.')
	const sum = createHash('sha256').update(lock).digest('hex')
	return { name, version, integrity, script: join(own, script), lock: sum }
}

/** A URL, a folder or a repository (`user/name`) instead of a version range; `npm:` is an alias of a package. */
const outsideRegistry = /^(?!npm:)[\w+.-]+:|^(\.|\/|~\/)|^[\w.-]+\/[\w.-]/

/** A dependency on a URL, repository or folder appears as such in the manifest of the dependent package. */
function refuseOutsideRegistry(packages: Lock['packages']): void {
	for (const [path, { integrity, link, dependencies = {} }] of Object.entries(packages)) {
		const addressed = Object.values(dependencies).some((range) => outsideRegistry.test(range))
		const isOurs = path === ''
		if (addressed || (!isOurs && (link || !integrity)))
			throw new InstallFailure('The package wants something from elsewhere than the registry.')
	}
}

/** The program that `npx` would run: the only one, or the one named like the package. */
function scriptIn(bin: string | Record<string, string> | undefined, name: string): string | null {
	if (typeof bin === 'string') return bin
	const all = Object.entries(bin ?? {})
	const own = all.find(([command]) => command === name.replace(/^@[^/]*\//, ''))
	return (all.length === 1 ? all[0] : own)?.[1] ?? null
}
