import { chmodSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { http } from '../../../platform/node-http.ts'

const usualPorts = new Set([80, 443])

/**
 * Whether a list of `host`, `*.host`, `host:port` matches a target. Only names are compared: their addresses are checked when
 * connecting.
 */
function isAllowedHost(list: readonly string[], host: string, port: number): boolean {
	const name = host.toLowerCase().replace(/\.$/, '')
	return list.some((entry) => {
		const [pattern = '', ownPort] = entry.toLowerCase().split(':')
		if (ownPort === undefined ? !usualPorts.has(port) : Number(ownPort) !== port) return false
		return pattern.startsWith('*.') ? name.endsWith(pattern.slice(1)) : name === pattern
	})
}

export interface EgressRules {
	/** The program's allowed hosts, read again for each connection. */
	allowedHosts(): readonly string[]
	/** Connects under our address rules; rejects if they refuse. */
	connect(host: string, port: number): Promise<Socket>
	onRefused(target: string): void
}

const connectionsMax = 64

/** The only way out of a sandbox: an HTTP proxy on a unix socket that admits the allowed hosts of one program. */
export function openEgressProxy(path: string, rules: EgressRules): Promise<{ close(): Promise<void> }> {
	const open = new Set<Socket>()
	const server = http.createServer((request, response) => {
		forward(rules, request, response).catch(() => response.destroy())
	})
	server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
		tunnel(rules, request, client, head).catch(() => client.destroy())
	})
	server.on('connection', (socket: Socket) => open.add(socket.once('close', () => open.delete(socket))))
	server.maxConnections = connectionsMax
	const close = async () => {
		for (const socket of open) socket.destroy()
		await new Promise((done) => server.close(done))
	}
	return listen(server, path).then(() => ({ close }))
}

function listen(server: Server, path: string): Promise<void> {
	return new Promise((done, fail) => {
		server.once('error', fail)
		server.listen(path, () => {
			// Only we can access the folder, while inside the sandbox another user id connects.
			chmodSync(path, 0o666)
			done()
		})
	})
}

async function connectAllowed(
	rules: EgressRules,
	target: string,
	defaultPort: number,
): Promise<Socket | null> {
	const url = URL.parse(`http://${target}`)
	const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
	const port = Number(url?.port) || defaultPort
	if (host !== '' && isAllowedHost(rules.allowedHosts(), host, port)) {
		const socket = await rules.connect(host, port).catch(() => null)
		if (socket) return socket
	}
	rules.onRefused(target.slice(0, 200))
	return null
}

async function tunnel(
	rules: EgressRules,
	{ url = '' }: IncomingMessage,
	client: Duplex,
	head: Buffer,
): Promise<void> {
	client.on('error', () => client.destroy())
	// `URL` treats a target without a port as port 80, and drops it from `host:80`.
	const target = await connectAllowed(rules, url, 80)
	if (!target) return void client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
	// The client disconnected while its target was being connected.
	if (client.destroyed) return void target.destroy()
	const end = () => {
		client.destroy()
		target.destroy()
	}
	client.on('close', end)
	target.on('error', end).on('close', end)
	client.write('HTTP/1.1 200 Connection established\r\n\r\n')
	if (head.length > 0) target.write(head)
	target.pipe(client)
	client.pipe(target)
}

async function forward(
	rules: EgressRules,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const url = URL.parse(request.url ?? '')
	const target = url?.protocol === 'http:' ? await connectAllowed(rules, url.host, 80) : null
	if (!target || !url) return void response.writeHead(403).end()
	if (response.destroyed) return void target.destroy()
	const { 'proxy-authorization': _, 'proxy-connection': __, trailer: ___, ...headers } = request.headers
	const fail = () => void response.destroy()
	const onward = http.request({
		method: request.method,
		path: url.pathname + url.search,
		headers: { ...headers, host: url.host, connection: 'close' },
		createConnection: () => target,
	})
	onward.on('response', (answer: IncomingMessage) => passOn(answer, response))
	onward.on('error', fail).on('upgrade', fail)
	response.on('close', () => target.destroy())
	// What Node refuses to send it refuses here, not in the middle of an event.
	onward.flushHeaders()
	request.pipe(onward)
}

/** Trailers are not passed on, so they are not announced. */
function passOn(answer: IncomingMessage, response: ServerResponse): void {
	const { trailer: _, ...headers } = answer.headers
	try {
		response.writeHead(answer.statusCode ?? 502, headers)
		pipeline(answer, response, () => {})
	} catch {
		// The target may have written a status that is none.
		response.destroy()
	}
}
