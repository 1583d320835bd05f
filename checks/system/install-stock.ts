import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../src/source-files.ts'

const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']

/** The folder of the packages with the Inspector and a fifth public server (130 MB), or null where no registry can be reached. */
export function installStock(): string | null {
	return installApart('stock')
}

/** The programs of the coding agents by the names of their commands (770 MB), or null where no registry can be reached. */
export function installAgents(): Record<'claude' | 'codex', string> | null {
	const packages = installApart('agents')
	if (packages === null) return null
	return {
		claude: join(packages, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
		codex: join(packages, '@openai/codex/bin/codex.js'),
	}
}

/** Installs what nothing but a test needs apart from our own packages, once for each list of them. */
function installApart(list: 'stock' | 'agents'): string | null {
	const listed = join(root, 'checks', list, 'package.json')
	const cache = join(root, 'node_modules/.cache', `signalbox-${list}`)
	const copy = join(cache, 'package.json')
	const packages = join(cache, 'node_modules')
	const isCurrent = existsSync(copy) && readFileSync(copy, 'utf8') === readFileSync(listed, 'utf8')
	if (isCurrent && existsSync(join(packages, '.package-lock.json'))) return packages
	mkdirSync(cache, { recursive: true })
	cpSync(listed, copy)
	const { status } = spawnSync('npm', ['install', '--prefix', cache, ...flags], {
		stdio: 'ignore',
		cwd: cache,
	})
	return status === 0 ? packages : null
}
