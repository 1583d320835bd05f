import { afterAll, beforeAll, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { runAuthorizationSuite } from '../conformance/run-authorization-suite.ts'

const dataDir = newDataDir()
let program: Program
beforeAll(async () => {
	program = await startProgram(dataDir)
})
afterAll(async () => {
	await program?.kill('SIGTERM')
	removeDataDir(dataDir)
})

it('our authorization server passes what the official suite checks of one', async () => {
	expect(await runAuthorizationSuite(program)).toEqual({
		'authorization-server-metadata': 'SUCCESS',
		'authorization-server-metadata-cimd': 'SUCCESS',
		'authorization-code-grant': 'SUCCESS',
	})
}, 60_000)
