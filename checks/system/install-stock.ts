import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const listed = fileURLToPath(new URL('../stock/package.json', import.meta.url))
const cache = fileURLToPath(new URL('../../node_modules/.cache/signalbox-stock', import.meta.url))
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']

/**
 * Installs the Inspector and a fifth public server apart from our own packages, once: 130 MB that nothing else needs. The
 * folder of their packages, or null where no registry can be reached.
 */
export function installStock(): string | null {
	const copy = `${cache}/package.json`
	const packages = `${cache}/node_modules`
	const isCurrent = existsSync(copy) && readFileSync(copy, 'utf8') === readFileSync(listed, 'utf8')
	if (isCurrent && existsSync(`${packages}/.package-lock.json`)) return packages
	mkdirSync(cache, { recursive: true })
	cpSync(listed, copy)
	const { status } = spawnSync('npm', ['install', '--prefix', cache, ...flags], {
		stdio: 'ignore',
		cwd: cache,
	})
	return status === 0 ? packages : null
}
