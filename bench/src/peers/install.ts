import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const caches = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))

/**
 * Installs a list of peers (a folder of `bench`) separately from our own packages, once. Returns the folder of their commands, or null
 * if that is not possible here.
 */
export function installPeers(list: 'peers' | 'proxy-peers' | 'sdk-peers' = 'peers'): string | null {
	const listed = fileURLToPath(new URL(`../../${list}/package.json`, import.meta.url))
	const cache = `${caches}signalbox-bench-${list}`
	const copy = `${cache}/package.json`
	const commands = `${cache}/node_modules/.bin`
	const isCurrent = existsSync(copy) && readFileSync(copy, 'utf8') === readFileSync(listed, 'utf8')
	if (isCurrent && existsSync(commands)) return commands
	mkdirSync(cache, { recursive: true })
	cpSync(listed, copy)
	const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']
	const { status } = spawnSync('npm', ['install', '--prefix', cache, ...flags], {
		stdio: 'ignore',
		cwd: cache,
	})
	return status === 0 ? commands : null
}
