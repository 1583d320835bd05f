import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ReusableMemory } from '../../free-bytes.ts'
import { http } from '../../node-http.ts'
import { BodyFiles, bodyBytesHeader, bodyFileHeader } from './child-process.ts'
import { readEngineCall } from './query-request.ts'

const memory = new ReusableMemory()
/** Responds with the body of each call, or with the reason for its refusal. */
const server = http.createServer(async (request, response) => {
	try {
		const search = new URLSearchParams({ query: 'INSERT INTO t FORMAT Native' })
		const call = await readEngineCall(request, search, memory)
		if (call.kind !== 'insert') return void response.end(call.kind)
		response.end(Buffer.from(call.body))
		memory.release(call.body)
	} catch (error) {
		response.statusCode = 400
		response.end(String((error as Error).message))
	}
})
let url = ''
beforeAll(async () => {
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => server.close())

const rows = Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => at % 251))
const send = (declared?: number) =>
	fetch(url, {
		method: 'POST',
		body: new Uint8Array(rows),
		...(declared !== undefined && { headers: { [bodyBytesHeader]: String(declared) } }),
	})

test.each([undefined, 0, rows.length])(
	'a body arrives as it was sent (declared length: %s)',
	async (declared) => {
		const answer = await send(declared)
		expect(answer.status).toBe(200)
		expect(Buffer.from(await answer.arrayBuffer()).equals(rows)).toBe(true)
	},
)

test.each([
	[rows.length - 1, 'longer'],
	[rows.length + 1, 'shorter'],
	[2 ** 40, 'too large'],
])('a body whose length differs from the declared one (%s) is refused', async (declared, why) => {
	const answer = await send(declared).catch(() => null)
	// A request that is refused by its headers is not read to its end.
	if (answer) expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(why)])
})

test.each([
	[rows.length, 200, ''],
	[rows.length + 1, 400, 'shorter'],
	[2 ** 40, 400, 'too large'],
])(
	'a body is read from the file that the request names (declared length: %s)',
	async (declared, status, why) => {
		const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-body-'))
		const files = new BodyFiles(dataDir)
		// In shared memory, like a batch of the log.
		const shared = Buffer.from(new SharedArrayBuffer(rows.length))
		rows.copy(shared)
		const path = (await files.write(shared)) ?? ''
		const headers = { [bodyBytesHeader]: String(declared), [bodyFileHeader]: path }
		const answer = await fetch(url, { method: 'POST', headers })
		expect(answer.status).toBe(status)
		if (status === 200) expect(Buffer.from(await answer.arrayBuffer()).equals(rows)).toBe(true)
		else expect(await answer.text()).toContain(why)
		files.release(path)
		await files.removeIdle()
		expect(await readdir(join(dataDir, 'chdb', 'inserts'))).toEqual([])
		await rm(dataDir, { recursive: true })
	},
)

test('a file is reused for a shorter body too, but never before it is given back', async () => {
	const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-body-'))
	const files = new BodyFiles(dataDir)
	const first = (await files.write(rows)) ?? ''
	expect(await files.write(rows)).not.toBe(first)
	files.release(first)
	const shorter = rows.subarray(300_000)
	expect(await files.write(shorter)).toBe(first)
	const headers = { [bodyBytesHeader]: String(shorter.length), [bodyFileHeader]: first }
	const answer = await fetch(url, { method: 'POST', headers })
	expect(Buffer.from(await answer.arrayBuffer()).equals(shorter)).toBe(true)
	await rm(dataDir, { recursive: true })
})

test('a file is not reused after five seconds, however busy it is', async () => {
	const dataDir = await mkdtemp(join(tmpdir(), 'signalbox-body-'))
	const files = new BodyFiles(dataDir)
	vi.useFakeTimers({ toFake: ['performance'] })
	try {
		const first = (await files.write(rows)) ?? ''
		for (let seconds = 0; seconds < 4; seconds += 1) {
			vi.advanceTimersByTime(1000)
			files.release(first)
			expect(await files.write(rows)).toBe(first)
		}
		vi.advanceTimersByTime(1000)
		files.release(first)
		expect(await files.write(rows)).not.toBe(first)
		await expect.poll(() => readdir(join(dataDir, 'chdb', 'inserts'))).toHaveLength(1)
	} finally {
		vi.useRealTimers()
		await rm(dataDir, { recursive: true })
	}
})

test('no file is written for a small body, or where none can be created', async () => {
	expect(await new BodyFiles(tmpdir()).write(Buffer.alloc(1000))).toBeNull()
	expect(await new BodyFiles('/dev/null').write(rows)).toBeNull()
})

test('a missing file fails the call', async () => {
	const headers = { [bodyBytesHeader]: '1000', [bodyFileHeader]: '/dev/null/gone' }
	const answer = await fetch(url, { method: 'POST', headers })
	expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('ENOTDIR')])
})
