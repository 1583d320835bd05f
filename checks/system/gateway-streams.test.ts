import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { modernHeaders, modernMeta, openSession, openStream, post } from './echo-client.ts'
import { type EchoUpstream, startEchoUpstream } from './echo-upstream.ts'

const openCount = 1000
const rounds = process.env.LONG_TESTS ? 60_000 : 500
const dataDir = newDataDir()
const listening = 'subscriptions/listen'
const wish = { notifications: { toolsListChanged: true }, _meta: modernMeta }

let program: Program
let upstream: EchoUpstream
let key: string
let url: string
let session: string

beforeAll(async () => {
	upstream = await startEchoUpstream('legacy')
	program = await startProgram(dataDir)
	const { api } = program
	const { id } = await api<{ id: string }>('POST', '/v1/agents', { name: 'Rosa' }, 201)
	key = (await api<{ key: string }>('POST', `/v1/agents/${id}/keys`, { name: 'k' }, 201)).key
	const server = await api<{ id: string }>(
		'POST',
		'/v1/mcp/servers',
		{ name: 'Echo', url: upstream.url },
		201,
	)
	await api('POST', `/v1/mcp/servers/${server.id}/access`, { agent_uuid: id, access_mode: 'all' }, 201)
	url = `${program.url}/mcp/echo`
	session = await openSession(url, key)
}, 60_000)
afterAll(async () => {
	await program?.kill('SIGTERM')
	await upstream?.close()
	removeDataDir(dataDir)
})

/** Opens a stream as a legacy client (even `n`, with its own session if `own`) or as a client of 2026-07-28 (odd `n`). */
async function open(n: number, own = true): Promise<() => void> {
	if (n % 2 === 1) {
		const body = { id: n, method: listening, params: wish }
		return openStream(url, key, { headers: modernHeaders(listening), body }, () => {})
	}
	const headers = { 'mcp-session-id': own ? await openSession(url, key) : session }
	return openStream(url, key, { headers }, () => {})
}

/** Opens `count` streams, twenty at a time. */
async function openMany(count: number, own = true): Promise<(() => void)[]> {
	const ends: (() => void)[] = []
	while (ends.length < count)
		ends.push(...(await Promise.all(Array.from({ length: 20 }, (_, n) => open(ends.length + n, own)))))
	return ends
}

const residentMb = () =>
	Number(readFileSync(`/proc/${program.pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)?.[1]) / 1024
const handles = () => readdirSync(`/proc/${program.pid}/fd`).length
const callOnce = async () => {
	const params = { name: 'echo', arguments: { from: 'Rosa', nonce: '1' } }
	const headers = { 'mcp-session-id': session }
	const { messages } = await post(url, key, { id: 1, method: 'tools/call', params }, headers)
	expect(messages.at(-1).result.content[0].text).toBe('Rosa 1')
}
const closed = (before: number) => expect.poll(handles, { timeout: 20_000 }).toBeLessThan(before + 10)

describe('streams of clients', () => {
	it(`${openCount} concurrent streams take less than 300 MB, and calls still work`, async () => {
		await callOnce()
		for (const end of await openMany(20)) end()
		const before = { mb: residentMb(), handles: handles() }
		const ends = await openMany(openCount)
		const grownMb = residentMb() - before.mb
		await callOnce()
		expect(handles() - before.handles).toBeGreaterThan(openCount - 50)
		console.log(
			`${openCount} open streams: ${grownMb.toFixed(0)} MB, ${((grownMb * 1024) / openCount).toFixed(0)} KB each`,
		)
		expect(grownMb).toBeLessThan(300)
		for (const end of ends) end()
		await closed(before.handles)
	}, 60_000)

	it(`opening and closing ${rounds} streams leaks neither file descriptors nor memory`, async () => {
		const before = { handles: handles(), mb: residentMb() }
		const seen: string[] = []
		let half = before.mb
		for (let done = 0; done < rounds; done += 100) {
			for (const end of await openMany(100, false)) end()
			if (done === Math.floor(rounds / 200) * 100) half = residentMb()
			if (done % (rounds / 5) === 0) seen.push(residentMb().toFixed(0))
		}
		await closed(before.handles)
		await callOnce()
		const after = residentMb()
		console.log(
			`${rounds} streams came and went: ${before.mb.toFixed(0)} MB before, ${seen.join(', ')}, ${after.toFixed(0)} MB after`,
		)
		// The heap grows to its steady size in the first half, so only growth after that counts.
		expect(after - half).toBeLessThan(40)
	}, 900_000)
})
