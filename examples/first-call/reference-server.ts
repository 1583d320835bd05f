import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'

/** Starts the public MCP reference server over streamable HTTP; answers its address and a stop function. */
export async function startReferenceServer(): Promise<{ url: string; stop(): Promise<void> }> {
	const program = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))
	const port = await freePort()
	const child = spawn(process.execPath, [program, 'streamableHttp'], {
		env: { ...process.env, PORT: String(port) },
		stdio: 'ignore',
	})
	const url = `http://127.0.0.1:${port}/mcp`
	await untilListening(url, child)
	return { url, stop: () => stop(child) }
}

async function freePort(): Promise<number> {
	const server = createServer()
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
	const { port } = server.address() as { port: number }
	await new Promise((resolve) => server.close(resolve))
	return port
}

async function untilListening(url: string, child: ChildProcess): Promise<void> {
	for (let attempt = 0; attempt < 200; attempt += 1) {
		if (child.exitCode !== null) throw new Error(`The reference server ended with code ${child.exitCode}.`)
		try {
			await fetch(url, { method: 'GET' })
			return
		} catch {
			await new Promise((resolve) => setTimeout(resolve, 50))
		}
	}
	throw new Error('The reference server did not answer within 10 s.')
}

async function stop(child: ChildProcess): Promise<void> {
	const ended = new Promise((resolve) => child.once('exit', resolve))
	child.kill('SIGTERM')
	await ended
}
