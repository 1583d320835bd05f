import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEgressProxy } from './egress-proxy.ts'

const directory = mkdtempSync(join(tmpdir(), 'signalbox-egress-'))
const path = join(directory, 'way.sock')
const reached = new Set<Socket>()
let far: Server
let proxy: { close(): Promise<void> }
/** Settles when connecting to the target may complete. */
let mayReach = Promise.resolve()
const usualAnswer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
let answer = usualAnswer

beforeAll(async () => {
	far = createServer((socket) => {
		reached.add(socket)
		socket.on('error', () => {}).once('close', () => reached.delete(socket))
		socket.on('data', () => socket.end(answer))
	}).listen(0, '127.0.0.1')
	await once(far, 'listening')
	proxy = await openEgressProxy(path, {
		allowedHosts: () => ['allowed.example'],
		onRefused: () => {},
		connect: async () => {
			await mayReach
			const socket = connect((far.address() as AddressInfo).port, '127.0.0.1')
			await once(socket, 'connect')
			return socket
		},
	})
})
afterAll(async () => {
	await proxy.close()
	for (const socket of reached) socket.destroy()
	await new Promise((done) => far.close(done))
	rmSync(directory, { recursive: true, force: true })
})

const requests = {
	CONNECT: 'CONNECT allowed.example:443 HTTP/1.1\r\nhost: allowed.example:443\r\n\r\n',
	GET: 'GET http://allowed.example:443/ HTTP/1.1\r\nhost: allowed.example\r\n\r\n',
}

it.each(['CONNECT', 'GET'] as const)('%s reaches an allowed host', async (method) => {
	const program = connect(path)
	program.write(requests[method])
	const [head] = await once(program, 'data')
	expect(String(head)).toContain(method === 'GET' ? 'HTTP/1.1 200 OK' : '200 Connection established')
	program.destroy()
	await expect.poll(() => reached.size).toBe(0)
})

it.each(['CONNECT', 'GET'] as const)(
	'%s of a program that has ended meanwhile leaves no connection open',
	async (method) => {
		let reach = () => {}
		mayReach = new Promise((resolve) => {
			reach = resolve
		})
		const program = connect(path)
		await new Promise((sent) => program.write(requests[method], sent))
		await new Promise((seen) => setTimeout(seen, 50))
		program.destroy()
		await new Promise((seen) => setTimeout(seen, 50))
		const arrived = once(far, 'connection')
		reach()
		await arrived
		await expect.poll(() => reached.size).toBe(0)
	},
)

const closing = requests.GET.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')
const withTrailer = (text: string) => text.replace('\r\n', '\r\ntrailer: x\r\n')

// An error that is thrown while one of these is passed on would end Signalbox, which runs this proxy.
it.each([
	['a status that is none', closing, usualAnswer.replace('200', '099'), ''],
	['an announced trailer that cannot follow', closing, withTrailer(usualAnswer), 'ok'],
	['a request that announces such a trailer', withTrailer(closing), usualAnswer, 'ok'],
	['an answer that breaks off', closing, usualAnswer.replace('length: 2', 'length: 3'), 'ok'],
	['a switch of protocols', closing, 'HTTP/1.1 101 S\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', ''],
])('%s ends its own connection only', async (_name, sent, answered, end) => {
	answer = answered
	const program = connect(path)
	let text = ''
	program.on('data', (chunk: Buffer) => (text += chunk.toString()))
	program.write(sent)
	await once(program, 'close')
	answer = usualAnswer
	expect(text).toMatch(end === '' ? /^$/ : new RegExp(`^HTTP/1.1 200 [^]*\r\n\r\n${end}$`))
	await expect.poll(() => reached.size).toBe(0)
})
