import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './source-files.ts'

const folder = join(root, 'sdk/python')
const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', '--retries=1']

/** The packages that the SDK for Python is tested with: the newest, or the generation before. */
export type PythonPackages = 'requirements-test' | 'requirements-test-earlier'

/**
 * The path of a Python in which the SDK and what its tests need are installed, made once for each list of packages; null,
 * and a line that says why, where there is no Python from 3.10 or no registry.
 */
export function pythonEnvironment(packages: PythonPackages = 'requirements-test'): string | null {
	const home = join(folder, packages === 'requirements-test' ? '.venv' : '.venv-earlier')
	const python = join(home, 'bin/python')
	const wanted = ['pyproject.toml', `${packages}.txt`]
		.map((name) => readFileSync(join(folder, name), 'utf8'))
		.join()
	const mark = join(home, 'made-of.txt')
	if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return python
	if (!isNewEnough()) return skip('there is no python3 from 3.10 with venv')
	// What is imported is compiled then; to compile all of it takes a quarter of the processor time of the installation.
	const steps: [string, string[]][] = [
		['python3', ['-m', 'venv', home]],
		[python, [...pip, 'install', '--no-compile', '-r', join(folder, `${packages}.txt`)]],
		[python, [...pip, 'install', '--no-deps', '--no-build-isolation', '-e', folder]],
	]
	for (const [command, args] of steps)
		if (spawnSync(command, args, { stdio: 'ignore' }).status !== 0) return skip(`"${args.join(' ')}" failed`)
	writeFileSync(mark, wanted)
	return python
}

function isNewEnough(): boolean {
	const check = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'
	return spawnSync('python3', ['-c', check], { stdio: 'ignore' }).status === 0
}

function skip(reason: string): null {
	console.warn(`The SDK for Python is not tested: ${reason}.`)
	return null
}
