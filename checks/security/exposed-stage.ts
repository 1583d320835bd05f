import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, vi } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'

/** The only internal address that the operator of this instance allows. The attacker's server listens on it. */
export const openAddress = '127.77.0.1'

export interface ExposedStage {
	program: Program
	/** Port of the canary, a listener on all addresses of this machine. The program must not reach it. */
	canaryPort: number
	/** Number of connections that reached the canary. */
	readonly reached: number
	/** `address port` of every connection that the program opened, except those to the attacker's server. */
	attempts(): string[]
	/** URL of the attacker's server, which the program may reach: `http://127.77.0.1:port`. */
	attacker: string
	/** Responds for the attacker's server. Tests replace it. */
	answer(request: IncomingMessage, response: ServerResponse): void
	/** Returns the addresses that a name resolves to. Tests replace it. */
	resolve(name: string, turn: number): string[]
	dns: DnsServer
	/** Calls the API as the owner and returns any status. */
	ask(
		method: string,
		path: string,
		body?: unknown,
	): Promise<{ status: number; body: Record<string, unknown> }>
	/** Sends a test event to a webhook and waits until a delivery was attempted. */
	deliver(webhook: string): Promise<void>
}

/** Starts an exposed instance that may not call loopback addresses, an attacker's server, a DNS server, and a canary on all addresses. */
export function useExposedStage(
	settings: (attacker: string) => Record<string, string> = () => ({}),
): ExposedStage {
	const dataDir = newDataDir()
	const file = join(dataDir, 'connections.txt')
	const closing: (() => void)[] = [() => removeDataDir(dataDir)]
	let reached = 0
	const start: Pick<ExposedStage, 'reached' | 'attempts' | 'answer' | 'resolve'> = {
		get reached() {
			return reached
		},
		attempts: () => linesOf(file).filter((line) => `http://${line.replace(' ', ':')}` !== stage.attacker),
		answer: (_request, response) => void response.writeHead(404).end(),
		resolve: () => [],
	}
	const stage = start as ExposedStage
	beforeAll(async () => {
		const canary = createTcpServer((socket) => {
			reached += 1
			socket.destroy()
		})
		const server = createServer((request, response) => stage.answer(request, response))
		stage.canaryPort = await listen(canary, '::')
		stage.attacker = `http://${openAddress}:${await listen(server, openAddress)}`
		stage.dns = await startDnsServer((name, turn) => stage.resolve(name, turn))
		closing.push(
			() => canary.close(),
			() => server.close(),
			() => server.closeAllConnections(),
			() => stage.dns.close(),
		)
		const environment = {
			SIGNALBOX_OVERLOAD_LAG_MS: '0',
			SIGNALBOX_PUBLIC_URL: 'https://signalbox.example.org',
			SIGNALBOX_ALLOWED_PRIVATE_NETWORKS: '127.77.0.0/16',
			TEST_DNS_SERVER: stage.dns.address,
			TEST_CONNECTIONS_FILE: file,
			...settings(stage.attacker),
		}
		const preload = new URL('watch-network.mjs', import.meta.url).href
		stage.program = await startProgram(dataDir, environment, { nodeFlags: ['--import', preload] })
		stage.ask = (method, path, body) => ask(stage.program, method, path, body)
		stage.deliver = (webhook) => deliver(stage, webhook)
	})
	afterAll(async () => {
		await stage.program?.kill('SIGTERM')
		for (const close of closing.reverse()) close()
	})
	return stage
}

async function listen(server: Server | ReturnType<typeof createTcpServer>, host: string): Promise<number> {
	await once(server.listen(0, host), 'listening')
	return (server.address() as AddressInfo).port
}

function linesOf(file: string): string[] {
	try {
		return readFileSync(file, 'utf8').split('\n').filter(Boolean)
	} catch {
		return []
	}
}

async function ask({ url, token }: Program, method: string, path: string, body?: unknown) {
	const response = await fetch(url + path, {
		method,
		headers: {
			authorization: `Bearer ${token}`,
			...(body !== undefined && { 'content-type': 'application/json' }),
		},
		...(body !== undefined && { body: JSON.stringify(body) }),
	})
	const text = await response.text()
	return { status: response.status, body: (text ? JSON.parse(text) : {}) as Record<string, unknown> }
}

async function deliver({ ask }: ExposedStage, webhook: string): Promise<void> {
	const queued = await ask('POST', `/v1/webhooks/${webhook}/test`)
	await vi.waitFor(
		async () => {
			const { body } = await ask('GET', `/v1/webhooks/${webhook}/deliveries/${queued.body.id}`)
			if (!body.attempted_at) throw new Error('The delivery has not been attempted yet.')
		},
		{ timeout: 20_000, interval: 50 },
	)
}
