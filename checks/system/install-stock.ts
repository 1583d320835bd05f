import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keptPackages } from '../src/kept-packages.ts'
import { root } from '../src/source-files.ts'

const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']

/** Installs the MCP Inspector and a fifth public server (130 MB). Returns their node_modules folder; null if no registry is reachable. */
export function installStock(): string | null {
	return installApart('stock')
}

/** Installs the coding agents (770 MB). Returns the path of each program by command name, or null if no registry is reachable. */
export function installAgents(): Record<'claude' | 'codex', string> | null {
	const packages = installApart('agents')
	if (packages === null) return null
	return {
		claude: join(packages, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
		codex: join(packages, '@openai/codex/bin/codex.js'),
	}
}

/** Installs packages that only tests need, outside the workspace's own node_modules. */
function installApart(list: 'stock' | 'agents'): string | null {
	const listed = join(root, 'checks', list, 'package.json')
	const folder = keptPackages(list, [process.version, readFileSync(listed, 'utf8')], (home) => {
		cpSync(listed, join(home, 'package.json'))
		const npm = ['install', '--prefix', home, ...flags]
		return spawnSync('npm', npm, { stdio: 'ignore', cwd: home }).status === 0
	})
	return folder === null ? null : join(folder, 'node_modules')
}
