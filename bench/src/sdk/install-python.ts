import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const listed = fileURLToPath(new URL('../../sdk-peers/requirements.txt', import.meta.url))
const ours = fileURLToPath(new URL('../../../sdk/python', import.meta.url))
const cache = fileURLToPath(
	new URL('../../../node_modules/.cache/signalbox-bench-sdk-python', import.meta.url),
)

/** A Python environment with the peers and our own package, created once; null if that is not possible here. */
export function installPythonPeers(): string | null {
	const python = `${cache}/bin/python`
	const mark = `${cache}/made-of.txt`
	const wanted = readFileSync(listed, 'utf8')
	if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return python
	const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', '--retries=1', 'install']
	const steps: [string, string[]][] = [
		['python3', ['-m', 'venv', cache]],
		[python, [...pip, '-r', listed, ours]],
	]
	for (const [command, args] of steps)
		if (spawnSync(command, args, { stdio: 'ignore' }).status !== 0) return null
	writeFileSync(mark, wanted)
	return python
}
