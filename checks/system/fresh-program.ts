import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fillNewDataDir } from '../../server/src/program/program.testing.ts'

export interface FreshProgram {
	url: string
	/** The one-time setup link that the program prints at startup. */
	setupLink: string
	dataDir: string
	stop(): Promise<void>
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const waitMs = 110_000

/**
 * Builds the dashboard if it is stale and starts the program as a new user does, on a free port and with an empty data directory. With
 * `withTables` the data directory already contains the database tables, which saves time where the first start is not under test.
 */
export async function startFreshProgram(
	settings: Record<string, string> = {},
	{ withTables = false } = {},
): Promise<FreshProgram> {
	await buildDashboard()
	const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-dashboard-'))
	if (withTables) await fillNewDataDir(dataDir, settings)
	const child = spawn(process.execPath, [join(root, 'server/bin/signalbox.mjs'), 'start'], {
		stdio: ['ignore', 'ignore', 'pipe'],
		env: {
			PATH: process.env.PATH,
			HOME: process.env.HOME,
			SIGNALBOX_PORT: '0',
			SIGNALBOX_OTLP_HTTP_PORT: '0',
			SIGNALBOX_OTLP_GRPC_PORT: '0',
			SIGNALBOX_DATA_DIR: dataDir,
			...settings,
		} as NodeJS.ProcessEnv,
	})
	const setupLink = await new Promise<string>((resolve, reject) => {
		let text = ''
		const timer = setTimeout(() => reject(new Error(`No setup link within ${waitMs} ms:\n${text}`)), waitMs)
		child.stderr.on('data', (chunk: Buffer) => {
			text += chunk.toString()
			const link = text.match(/http:\S+\/ui\/setup#\S+/)?.[0]
			if (!link) return
			clearTimeout(timer)
			resolve(link)
		})
		child.once('exit', (code) => reject(new Error(`The program ended with code ${code}:\n${text}`)))
	})
	return {
		url: new URL(setupLink).origin,
		setupLink,
		dataDir,
		stop: async () => {
			const ended = new Promise((resolve) => child.once('exit', resolve))
			child.kill('SIGTERM')
			await ended
			rmSync(dataDir, { recursive: true, force: true })
		},
	}
}

/** Builds the dashboard if it is stale. `npm test` has done so before its tests, and looking again takes a third of a second. */
export async function buildDashboard(): Promise<void> {
	if (process.env.DASHBOARD_BUILT) return
	const script = 'checks/src/build-if-stale.mjs'
	const child = spawn(process.execPath, [join(root, script)], { stdio: 'inherit' })
	const code = await new Promise((resolve) => child.once('exit', resolve))
	if (code !== 0) throw new Error(`${script} ended with code ${code}`)
}
