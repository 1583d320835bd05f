import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { chooseSocketPath } from './clickhouse/embedded/supervisor.ts'
import { http } from './node-http.ts'

/** Calls that a command may make to the running program; each takes and returns JSON. */
export type LocalCalls = Record<string, (input: Record<string, unknown>) => Promise<unknown>>

const maxBodyBytes = 1024 * 1024

/**
 * Lets commands on this machine call the running program, over a unix socket that only the program's own user may open (as with the
 * master key beside it). `program.socket` in the data directory contains its path. Returns a function that closes it.
 */
export async function openLocalSocket(dataDir: string, calls: LocalCalls): Promise<() => Promise<void>> {
	const pointer = join(dataDir, 'program.socket')
	const { path, close } = await listenOnSocket(dataDir, 'program.sock', (request, response) => {
		const call = calls[(request.url ?? '').slice(1)]
		const answer = async () => {
			if (!call) throw new Error('The running program does not know this command: it is of another version.')
			return call(await readInput(request))
		}
		answer().then(
			(result) => end(200, { result }),
			(error: unknown) => end(500, { error: error instanceof Error ? error.message : String(error) }),
		)
		const end = (status: number, body: object) => {
			response.writeHead(status, { 'content-type': 'application/json' })
			response.end(JSON.stringify(body))
		}
	})
	writeFileSync(pointer, path, { mode: 0o600 })
	return async () => {
		rmSync(pointer, { force: true })
		await close()
	}
}

/**
 * Serves HTTP on a unix socket in the data directory (elsewhere if its path would be too long), which only our own user may open.
 */
export async function listenOnSocket(
	dataDir: string,
	name: string,
	handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ path: string; close(): Promise<void> }> {
	const { path, remove } = chooseSocketPath(dataDir, name)
	rmSync(path, { force: true })
	// No time limits: only trusted programs can open the socket, and streams take long.
	const server = http.createServer({ requestTimeout: 0, keepAliveTimeout: 0 }, handle)
	await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve))
	chmodSync(path, 0o600)
	return {
		path,
		close: async () => {
			server.closeAllConnections()
			await new Promise((resolve) => server.close(resolve))
			remove()
		},
	}
}

async function readInput(
	request: NodeJS.ReadableStream & { headers: object },
): Promise<Record<string, unknown>> {
	const { 'content-length': length } = request.headers as Record<string, string>
	if (Number(length) > maxBodyBytes) throw new Error('The request is too large.')
	return (await json(request)) as Record<string, unknown>
}

/** The program ended, or was killed, before it answered. */
export class ProgramEnded extends Error {
	override name = 'ProgramEnded'
	override message = 'The program ended before it answered. Start it, and repeat the command.'
}

/**
 * Calls the program that runs on a data directory; null if none does. Errors of the program are rethrown by message. Rejects with
 * `ProgramEnded`.
 */
export async function askProgram<T>(
	dataDir: string,
	call: string,
	input: object,
): Promise<{ result: T } | null> {
	const socketPath = readPointer(dataDir)
	if (socketPath === null) return null
	const answer = await post(socketPath, call, input)
	if (answer === null) return null
	const { result, error } = answer as { result?: T; error?: string }
	if (error !== undefined) throw new Error(error)
	return { result: result as T }
}

function readPointer(dataDir: string): string | null {
	try {
		return readFileSync(join(dataDir, 'program.socket'), 'utf8')
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
		throw error
	}
}

/** Null if nobody listens on the socket, because the program was killed. */
function post(socketPath: string, call: string, input: object): Promise<unknown> {
	const body = Buffer.from(JSON.stringify(input))
	return new Promise((resolve, reject) => {
		const request = http.request(
			{ socketPath, path: `/${call}`, method: 'POST', headers: { 'content-length': body.length } },
			(response) => json(response).then(resolve, reject),
		)
		request.once('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(null)
			else reject(error.code === 'ECONNRESET' || error.code === 'EPIPE' ? new ProgramEnded() : error)
		})
		request.end(body)
	})
}
