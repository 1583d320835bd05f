import type { TestProject } from 'vitest/node'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'

let program: Program | undefined

declare module 'vitest' {
	interface ProvidedContext {
		/** The instance on loopback that all test files of the project share, and its owner's access token. */
		program: { url: string; token: string; dataDir: string }
	}
}

export async function setup(project: TestProject): Promise<void> {
	program = await startProgram(newDataDir(), { SIGNALBOX_OVERLOAD_LAG_MS: '0' })
	project.provide('program', { url: program.url, token: program.token, dataDir: program.dataDir })
}

export async function teardown(): Promise<void> {
	await program?.kill('SIGTERM')
	if (program) removeDataDir(program.dataDir)
}
