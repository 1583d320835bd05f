import { type ChildProcess, fork } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** The program that browser tests share. Each test file has its own workspace in it. */
export interface SharedStage {
	program: { url: string; dataDir: string }
	/** The public MCP reference server. */
	referenceUrl: string
}

const program = fileURLToPath(new URL('./shared-stage-process.ts', import.meta.url))

/** Returns the stage of this test run, which starts with the first call. Throws if it could not be started. */
export async function sharedStage(): Promise<SharedStage> {
	const answer = JSON.parse(await text(connect(socketIn(process.env.TEST_TEMPLATES as string))))
	if (answer.error) throw new Error(answer.error)
	return answer
}

/** Starts the stage in a separate process as soon as a test of this run asks for it. Returns a function that ends it. */
export async function offerSharedStage(home: string): Promise<() => Promise<void>> {
	let child: ChildProcess | undefined
	let answer: Promise<string> | undefined
	const start = () => {
		child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
		return new Promise<string>((resolve) => {
			child?.once('message', (message) => resolve(JSON.stringify(message)))
			child?.once('exit', (code) =>
				resolve(JSON.stringify({ error: `The shared stage ended with code ${code}.` })),
			)
		})
	}
	const server = createServer(async (socket) => {
		socket.on('error', () => {})
		answer ??= start()
		socket.end(await answer)
	})
	await new Promise<void>((resolve) => server.listen(socketIn(home), resolve))
	return async () => {
		server.close()
		if (!child || child.exitCode !== null) return
		const ended = new Promise((resolve) => child?.once('exit', resolve))
		child.disconnect()
		await ended
	}
}

function socketIn(home: string): string {
	return join(home, 'stage.sock')
}
