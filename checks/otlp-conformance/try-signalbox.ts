import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { newDataDir, removeDataDir, startProgram } from '../../server/src/program/program.testing.ts'
import { type Result, runCases } from './run-cases.ts'

/** Starts the program, tests it over both transports, and stops it. */
export async function trySignalbox(): Promise<Result[]> {
	const dataDir = newDataDir()
	const port = await freePort()
	// Overload protection is off, because a refusal on a busy machine would count as a failure.
	const settings = { SIGNALBOX_OTLP_GRPC_PORT: String(port), SIGNALBOX_OVERLOAD_LAG_MS: '0' }
	const program = await startProgram(dataDir, settings)
	try {
		const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
		const headers = { authorization: `Bearer ${token}` }
		return await runCases({ url: program.url, grpc: `127.0.0.1:${port}`, headers })
	} finally {
		await program.kill('SIGTERM')
		removeDataDir(dataDir)
	}
}

function freePort(): Promise<number> {
	return new Promise((resolve) => {
		const server = createServer().listen(0, '127.0.0.1', () => {
			const { port } = server.address() as AddressInfo
			server.close(() => resolve(port))
		})
	})
}
