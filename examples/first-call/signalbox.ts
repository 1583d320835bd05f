import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const email = 'owner@example.org'
const password = 'a long enough passphrase'

export interface Signalbox {
	url: string
	/** Calls the platform API as the signed-in owner; a status other than `expected` throws with the answer's text. */
	api<T>(method: string, path: string, body?: unknown, expected?: number): Promise<T>
	stop(): Promise<void>
}

/** Starts a Signalbox of its own in an empty data directory and signs in. */
export async function startSignalbox(): Promise<Signalbox> {
	const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-first-call-'))
	const bin = fileURLToPath(new URL('../../server/bin/signalbox.mjs', import.meta.url))
	const child = spawn(process.execPath, [bin, 'start'], {
		stdio: ['ignore', 'pipe', 'inherit'],
		env: {
			...process.env,
			SIGNALBOX_PORT: '0',
			SIGNALBOX_OTLP_HTTP_PORT: '0',
			SIGNALBOX_OTLP_GRPC_PORT: '0',
			SIGNALBOX_DATA_DIR: dataDir,
			SIGNALBOX_INIT_ADMIN_EMAIL: email,
			SIGNALBOX_INIT_ADMIN_PASSWORD: password,
		},
	})
	const url = await untilReady(child)
	const login = await call<{ token: string }>(url, 'POST', '/auth/login', { email, password }, 200, '')
	return {
		url,
		api: (method, path, body, expected = 200) => call(url, method, path, body, expected, login.token),
		stop: () => stop(child, dataDir),
	}
}

async function untilReady(child: ChildProcess): Promise<string> {
	if (!child.stdout) throw new Error('Signalbox has no output.')
	for await (const line of createInterface({ input: child.stdout })) {
		const event = JSON.parse(line) as { msg: string; address?: string }
		if (event.msg === 'ready' && event.address) {
			child.stdout.resume()
			return event.address
		}
	}
	throw new Error('Signalbox ended before it was ready.')
}

async function call<T>(
	url: string,
	method: string,
	path: string,
	body: unknown,
	expected: number,
	token: string,
): Promise<T> {
	const response = await fetch(url + path, {
		method,
		headers: {
			...(token && { authorization: `Bearer ${token}` }),
			...(body !== undefined && { 'content-type': 'application/json' }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	})
	const text = await response.text()
	if (response.status !== expected) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
	return (text === '' ? undefined : JSON.parse(text)) as T
}

async function stop(child: ChildProcess, dataDir: string): Promise<void> {
	const ended = new Promise((resolve) => child.once('exit', resolve))
	child.kill('SIGTERM')
	await ended
	rmSync(dataDir, { recursive: true, force: true })
}
