import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
	type ProtectedServer,
	startAuthorizationServer,
	startProtectedServer,
	type TestAuthorizationServer,
} from '../../server/src/access/upstream-credentials/testing.ts'
import {
	newDataDir,
	owner,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { root } from '../src/source-files.ts'
import { startProvider } from './provider.ts'
import type { GuideRun } from './run-guide.ts'

export interface GuideStage {
	program: Program
	authorization: TestAuthorizationServer
	upstream: ProtectedServer
	/** The options with which guides are run. */
	run: GuideRun
	stop(): Promise<void>
}

const everything = join(
	dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
	'dist/index.js',
)

const commands = join(root, 'node_modules/.bin')

/**
 * Starts everything that the guides use: an instance, a public MCP server, one behind OAuth, a model provider, and a home folder.
 * `agents`: names of the installed coding agents → their programs.
 */
export async function openGuideStage(agents: Readonly<Record<string, string>>): Promise<GuideStage> {
	const dataDir = newDataDir()
	const home = mkdtempSync(join(tmpdir(), 'signalbox-guide-'))
	const program = await startProgram(dataDir, { SIGNALBOX_PROGRAM_PATHS: join(root, 'node_modules') })
	const provider = await startProvider()
	const authorization = await startAuthorizationServer()
	const upstream = await startProtectedServer(() => authorization.issuer, authorization.isGood)
	const { url, child } = await startEverything()
	const bin = putOnPath(home, agents)
	writeFileSync(join(home, 'password.txt'), owner.password)
	const { workspace } = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
	await program.api('PATCH', `/v1/workspaces/${workspace.id}/rights`, { stdio: true })
	return {
		...{ program, authorization, upstream },
		run: {
			folder: root,
			environment: readersEnvironment(home, bin),
			own: {
				'http://127.0.0.1:7777': program.url,
				'you@example.org': owner.email,
				'< password.txt': `< ${home}/password.txt`,
				'http://127.0.0.1:3001/mcp': url,
				'https://mcp.example.com/mcp': upstream.url,
				'"key":"sk-ant-your-key"': `"key":"sk-ant-test","base_url":"${provider.url}"`,
				'"key":"sk-your-key"': `"key":"sk-test","base_url":"${provider.url}/v1"`,
				'/path/to/your-server.js': everything,
			},
		},
		stop: async () => {
			child.kill()
			for (const server of [authorization, upstream]) server.close()
			provider.stop()
			await program.kill('SIGTERM')
			removeDataDir(dataDir)
			rmSync(home, { recursive: true, force: true })
		},
	}
}

/** The environment of a reader: only this machine's programs. The agents cannot reach other machines. */
function readersEnvironment(home: string, bin: string): Record<string, string> {
	return {
		HOME: home,
		TMPDIR: home,
		PATH: `${bin}:${commands}:${process.env.PATH}`,
		...{
			HTTP_PROXY: 'http://127.0.0.1:9',
			HTTPS_PROXY: 'http://127.0.0.1:9',
			NO_PROXY: '127.0.0.1,localhost',
		},
		...{
			DISABLE_AUTOUPDATER: '1',
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
			ENABLE_TOOL_SEARCH: 'false',
		},
		npm_config_update_notifier: 'false',
	}
}

function putOnPath(home: string, agents: Readonly<Record<string, string>>): string {
	const bin = join(home, 'bin')
	mkdirSync(bin)
	for (const [name, program] of Object.entries(agents)) {
		chmodSync(program, 0o755)
		symlinkSync(program, join(bin, name))
	}
	// Replaces npx, which first looks into node_modules/.bin. This avoids some sixty starts of npm.
	const npx = `#!/bin/sh
name=$1; shift; exec '${commands}'/"$name" "$@"
`
	writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 })
	return bin
}

async function startEverything(): Promise<{ url: string; child: ChildProcess }> {
	const port = await freePort()
	const environment = { ...process.env, PORT: String(port) } as NodeJS.ProcessEnv
	const child = spawn(process.execPath, [everything, 'streamableHttp'], {
		env: environment,
		stdio: ['ignore', 'ignore', 'pipe'],
	})
	await new Promise<void>((resolve, reject) => {
		child.stderr?.on('data', (chunk: Buffer) => String(chunk).includes(String(port)) && resolve())
		child.once('exit', () => reject(new Error('The reference server ended.')))
	})
	return { url: `http://127.0.0.1:${port}/mcp`, child }
}

function freePort(): Promise<number> {
	return new Promise((resolve) => {
		const server = createServer().listen(0, '127.0.0.1', () => {
			const { port } = server.address() as AddressInfo
			server.close(() => resolve(port))
		})
	})
}
