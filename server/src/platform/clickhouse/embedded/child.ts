// The program of the engine's process. It exits when its standard input closes, so it never outlives its parent.
import { chmodSync, mkdirSync, rmSync, writeSync } from 'node:fs'
import type { Server } from 'node:http'
import { createInterface } from 'node:readline'
import type { ChildEvent, ChildStart } from './child-protocol.ts'
import { type Engine, openEngine } from './engine.ts'
import { createFacade, createOperations } from './facade.ts'

const drainMs = 2_000
const statusDescriptor = 3

function tell(event: ChildEvent): void {
	try {
		writeSync(statusDescriptor, `${JSON.stringify(event)}\n`)
	} catch {
		// The parent has exited; the end of standard input ends this process.
	}
}

async function serve(start: ChildStart): Promise<void> {
	mkdirSync(start.directory, { recursive: true, mode: 0o700 })
	const engine = await openEngine(start)
	const operations = createOperations(() => performance.now())
	const server = createFacade({ engine, operations, key: start.key })
	endInOrder = () => end(server, engine, (timeoutMs) => operations.drain(timeoutMs))
	await listen(server, start.socketPath)
	const version = await engine.read('SELECT version()', 'TSVRaw', {})
	tell({ event: 'ready', version: Buffer.from(version.bytes).toString().trim() })
}

async function listen(server: Server, socketPath: string): Promise<void> {
	rmSync(socketPath, { force: true })
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject)
		server.listen(socketPath, resolve)
	})
	chmodSync(socketPath, 0o600)
}

/** A regular exit waits for running queries, forever if one hangs. Killing loses nothing that was acknowledged. */
async function end(
	server: Server,
	engine: Engine,
	drain: (timeoutMs: number) => Promise<boolean>,
): Promise<void> {
	server.close()
	server.closeIdleConnections()
	if (!(await drain(drainMs))) process.kill(process.pid, 'SIGKILL')
	engine.close()
	process.exit(0)
}

let endInOrder = async (): Promise<void> => process.exit(0)
let isEnding = false
function endOnce(): void {
	if (isEnding) return
	isEnding = true
	void endInOrder()
}

// Only its own user may access what this process creates (sockets, data files).
process.umask(0o077)
process.on('SIGTERM', endOnce)
// A terminal sends SIGINT to the whole process group, but the parent decides when its engine ends.
process.on('SIGINT', () => undefined)
const input = createInterface({ input: process.stdin })
input.on('close', endOnce)
input.once('line', (line) => {
	serve(JSON.parse(line) as ChildStart).catch((error: unknown) => {
		tell({ event: 'failed', message: error instanceof Error ? error.message : String(error) })
		process.exit(1)
	})
})
