import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keptPackages } from './kept-packages.ts'
import { root } from './source-files.ts'

const folder = join(root, 'sdk/python')
const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', '--retries=1']

/** The packages with which the Python SDK is tested: the newest, or the previous generation. */
export type SdkPackages = 'requirements-test' | 'requirements-test-earlier'

/**
 * The path of a Python in which the SDK and its test dependencies are installed; null, with a line that says why, if there is no
 * Python from 3.10 or no registry. The SDK is that of this clone; the packages are shared by all clones.
 */
export function pythonEnvironment(list: SdkPackages = 'requirements-test'): string | null {
	const packages = pythonPackages('sdk-python', join(folder, `${list}.txt`))
	if (packages === null) return skip('there is no python3 from 3.10 with venv, or no registry')
	const home = join(folder, list === 'requirements-test' ? '.venv' : '.venv-earlier')
	const python = join(home, 'bin/python')
	const wanted = `${packages}\n${readFileSync(join(folder, 'pyproject.toml'), 'utf8')}`
	const mark = join(home, 'made-of.txt')
	if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return python
	rmSync(home, { recursive: true, force: true })
	if (!succeeds('python3', '-m', 'venv', '--without-pip', home)) return skip('venv failed')
	writeFileSync(join(sitePackagesOf(home), 'kept.pth'), `${sitePackagesOf(packages)}\n`)
	const keptPip = [join(packages, 'bin/python'), ...pip, '--python', python] as const
	if (!succeeds(...keptPip, 'install', '--no-deps', '--no-build-isolation', '-e', folder))
		return skip('the SDK could not be installed')
	takeCommand('opentelemetry-instrument', packages, home)
	writeFileSync(mark, wanted)
	return python
}

/** The home of a Python environment with the packages of a requirements file; null if it cannot be created. */
export function pythonPackages(name: string, requirements: string): string | null {
	const version = versionOfPython()
	if (version === null) return null
	return keptPackages(
		name,
		[version, readFileSync(requirements, 'utf8')],
		(home) =>
			succeeds('python3', '-m', 'venv', home) &&
			// Modules are compiled when they are imported; compiling all of them takes a quarter of the installation's processor time.
			succeeds(join(home, 'bin/python'), ...pip, 'install', '--no-compile', '-r', requirements),
	)
}

/** Makes a command of shared packages run in another Python environment. */
function takeCommand(name: string, packages: string, home: string): void {
	const [, ...lines] = readFileSync(join(packages, 'bin', name), 'utf8').split('\n')
	const command = join(home, 'bin', name)
	writeFileSync(command, [`#!${home}/bin/python`, ...lines].join('\n'))
	chmodSync(command, 0o755)
}

function sitePackagesOf(home: string): string {
	const lib = join(home, 'lib')
	return join(lib, readdirSync(lib).find((name) => name.startsWith('python3')) as string, 'site-packages')
}

/** Finds a Python from 3.10 on with venv; null if there is none. */
function versionOfPython(): string | null {
	const code = 'import sys, venv, ensurepip; print(sys.version); sys.exit(sys.version_info < (3, 10))'
	const { status, stdout } = spawnSync('python3', ['-c', code], { encoding: 'utf8' })
	return status === 0 ? stdout : null
}

function succeeds(command: string, ...args: string[]): boolean {
	return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

function skip(reason: string): null {
	console.warn(`The SDK for Python is not tested: ${reason}.`)
	return null
}
