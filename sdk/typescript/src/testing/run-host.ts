import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { errorIds, inModernEra, type Message, script } from './script.ts'

export interface HostCase {
	sdk: 'v1-lowest' | 'v1' | 'v2'
	transport: 'stdio' | 'http' | 'sse'
	/** `register`: configured by the environment, without changes of its code. */
	observed: 'no' | 'before' | 'after' | 'register'
	options?: { endpoint?: string; token?: string; serviceName?: string; capture?: boolean }
}

const host = fileURLToPath(new URL('host.mjs', import.meta.url))
const register = new URL('../../dist/register.js', import.meta.url).href

export function startHost({ sdk, transport, observed, options = {} }: HostCase): ChildProcess {
	const env = {
		PATH: process.env.PATH,
		HOST_SDK: sdk,
		HOST_TRANSPORT: transport,
		HOST_OBSERVED: observed,
		HOST_OPTIONS: JSON.stringify(options),
		...(observed === 'register' && variablesOf(options)),
	}
	const flags = observed === 'register' ? ['--import', register] : []
	return spawn(process.execPath, [...flags, host], { env, stdio: ['pipe', 'pipe', 'pipe'] })
}

function variablesOf({
	endpoint = '',
	token = '',
	serviceName = '',
	capture,
}: NonNullable<HostCase['options']>) {
	return {
		SIGNALBOX_SDK_CAPTURE: capture ? 'all' : 'none',
		SIGNALBOX_SDK_ENDPOINT: endpoint,
		SIGNALBOX_SDK_TOKEN: token,
		SIGNALBOX_SDK_SERVICE_NAME: serviceName,
	}
}

/** The address of a host over HTTP, once it listens. */
export async function addressOf(child: ChildProcess): Promise<string> {
	const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
	const [port] = (await once(lines, 'line')) as [string]
	return `http://127.0.0.1:${port}`
}

/** The answers of a host to the whole script, and how it exited. */
export interface HostRun {
	answers: string[]
	stderr: string
	code: number | null
}

/** Far more than any host needs; one that hangs is then killed, so that a test fails instead of waiting. */
const maxMs = 40_000

export async function runHost(of: HostCase): Promise<HostRun> {
	const child = startHost(of)
	const deadline = setTimeout(() => child.kill('SIGKILL'), maxMs)
	const ended = endOf(child)
	try {
		const talk = of.transport === 'stdio' ? overStdio(child) : overHttp(child, of)
		const answers = await Promise.race([talk, ended.then(failEarly)])
		child.stdin?.end()
		return { answers, ...(await ended) }
	} finally {
		clearTimeout(deadline)
		child.kill('SIGKILL')
	}
}

async function endOf(child: ChildProcess): Promise<Omit<HostRun, 'answers'>> {
	let stderr = ''
	// Errors of writing to a host that has exited are less informative than its exit.
	child.stdin?.on('error', () => {})
	child.stderr?.on('data', (chunk: Buffer) => {
		stderr += chunk.toString()
	})
	const [code] = (await once(child, 'close')) as [number | null]
	return { stderr, code }
}

function failEarly({ stderr, code }: Omit<HostRun, 'answers'>): never {
	throw new Error(`The host ended (${code ?? 'killed'}) before it had answered everything. ${stderr}`)
}

/** One message at a time, so that the order of answers is defined. */
async function overStdio(child: ChildProcess): Promise<string[]> {
	const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
	const answers: string[] = []
	const waiting = new Map<number, () => void>()
	lines.on('line', (line) => {
		answers.push(line)
		waiting.get((JSON.parse(line) as Message).id ?? -1)?.()
	})
	const say = (message: Message) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
	for (const message of [...script.handshake, ...script.calls]) {
		const answered = new Promise<void>((done) => {
			if (message.id === undefined) done()
			else waiting.set(message.id, done)
		})
		say(message)
		await answered
	}
	for (const message of script.cancelled) say(message)
	await new Promise((done) => setTimeout(done, 300))
	return answers
}

async function overHttp(child: ChildProcess, { sdk, transport }: HostCase): Promise<string[]> {
	const base = await addressOf(child)
	if (transport === 'sse') return overSse(base)
	const answers: string[] = []
	const calls = script.calls.filter(({ id }) => sdk !== 'v1-lowest' || !errorIds.includes(id))
	const messages = sdk === 'v2' ? calls.map(inModernEra) : [...script.handshake, ...calls]
	for (const message of messages) answers.push(await post(`${base}/mcp`, message, sdk === 'v2'))
	return answers
}

async function post(url: string, message: Message, isModern = false): Promise<string> {
	const name = (message.params?.name ?? message.params?.uri) as string | undefined
	const response = await fetch(url, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			...(message.method !== 'initialize' && { 'mcp-session-id': 'a-session' }),
			...(isModern && { 'mcp-protocol-version': '2026-07-28', 'mcp-method': message.method }),
			...(isModern && name && { 'mcp-name': name }),
		},
		body: JSON.stringify({ jsonrpc: '2.0', ...message }),
	})
	return `${response.status} ${response.headers.get('content-type')} ${await response.text()}`
}

async function overSse(base: string): Promise<string[]> {
	const stream = await fetch(`${base}/sse`)
	const reader = (stream.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
	const pieces: string[] = []
	// Only the newest part is searched, with enough of the previous one, because one answer has 10 MB.
	let latest = ''
	const until = async (end: RegExp) => {
		while (!end.test(latest)) {
			const { value, done } = await reader.read()
			if (done) throw new Error('The stream ended before everything was answered.')
			pieces.push(value)
			latest = latest.slice(-100) + value
		}
	}
	await until(/\n\n/)
	const address = /data: (\S+)/.exec(latest)?.[1] ?? ''
	for (const message of [...script.handshake, ...script.calls]) {
		await post(base + address, message)
		if (message.id !== undefined) await until(new RegExp(`"id":${message.id}[,}]`))
	}
	await reader.cancel()
	return pieces
		.join('')
		.replace(/sessionId=\S+/, '')
		.split('\n\n')
}
