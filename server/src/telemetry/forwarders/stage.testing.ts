import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { scopes } from '@signalbox/contract'
import { startTestApp, type TestAnswer, type TestApp } from '../../accounts/identity/testing.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { createSafeFetch } from '../../platform/safe-fetch.ts'
import { openForwarders } from './forwarders.ts'

interface OtlpRequest {
	path: string
	headers: IncomingMessage['headers']
	/** Decompressed. */
	body: Buffer
}

export interface OtlpGate {
	url: string
	port: number
	requests: OtlpRequest[]
	/** Answers from now on in place of the receiver; null: the receiver answers. */
	answer(with_: ((response: ServerResponse, request: OtlpRequest) => void) | null): void
	close(): Promise<void>
}

/** A proxy in front of a real receiver that counts requests and can refuse them. */
export async function openGate(receiverUrl: string, port = 0): Promise<OtlpGate> {
	const requests: OtlpRequest[] = []
	let own: ((response: ServerResponse, request: OtlpRequest) => void) | null = null
	const pass = async (message: IncomingMessage, response: ServerResponse) => {
		const sent = await buffer(message)
		const { url: path = '', headers } = message
		const request = { path, headers, body: gunzipSync(sent) }
		requests.push(request)
		if (own) return own(response, request)
		const { authorization = '', 'content-type': type = '', 'content-encoding': encoding = '' } = headers
		const answer = await fetch(receiverUrl + path, {
			...{ method: 'POST', body: sent },
			headers: { authorization, 'content-type': type, 'content-encoding': encoding },
		})
		response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
		response.end(Buffer.from(await answer.arrayBuffer()))
	}
	const server = createServer(
		(message, response) => void pass(message, response).catch(() => response.destroy()),
	)
	await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
	const bound = (server.address() as AddressInfo).port
	return {
		url: `http://127.0.0.1:${bound}`,
		port: bound,
		requests,
		answer: (with_) => {
			own = with_
		},
		close: async () => {
			server.closeAllConnections()
			await new Promise((done) => server.close(done))
		},
	}
}

export interface ForwarderProgram {
	app: TestApp
	/** Uses a key with every scope. */
	api(method: string, path: string, body?: object): Promise<TestAnswer>
	/** Skips the time until the next read. */
	hurry(): Promise<void>
	close(): Promise<void>
}

/** The real app with forwarders and a telemetry store. Closing it and starting another one on the same store is a restart. */
export async function startForwarders(
	store: ControlStore,
	telemetry: Parameters<typeof openForwarders>[0]['telemetry'],
	key?: string,
): Promise<ForwarderProgram & { key: string }> {
	const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
	const app = await startTestApp(store, {
		open: (core) => openForwarders({ ...core, safeFetch, telemetry }),
		...(key && { withoutOwner: true }),
	})
	const made = key ?? (await makeKey(app))
	app.jobs.start()
	return {
		...{ app, key: made },
		api: (method, path, body) => app.request(method, path, { token: made, ...(body && { body }) }),
		hurry: async () => {
			await store.db.updateTable('forwarder_cursors').set({ next_at: null }).execute()
			await store.db.updateTable('jobs').set({ run_at: 1 }).where('lease_holder', 'is', null).execute()
		},
		close: async () => {
			await app.close()
			await safeFetch.close()
		},
	}
}

async function makeKey(app: TestApp): Promise<string> {
	const body = { name: 'all', scopes: [...scopes] }
	return (await app.request('POST', '/v1/keys', { token: app.owner.token, body })).body.key
}
