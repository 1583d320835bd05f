import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	type ScriptedUpstream,
	sendText,
	startScriptedUpstream,
} from '../../server/src/gateway/testing-upstream.ts'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { type Answer, modernHeaders, modernMeta, openSession, post } from './echo-client.ts'

const kills = process.env.LONG_TESTS ? 30 : 1
const clientCount = 6

interface TestClient {
	name: string
	key: string
	/** The session id of a legacy client; '' for a modern client. */
	session: string
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const nonceOf = ({ params }: { params: Record<string, unknown> }) =>
	(params.arguments as { nonce: string }).nonce

/** Half of the legacy clients declare a capability, so they have upstream sessions of their own. The other clients are modern. */
describe(`clients of a program that is killed ${kills} times in the middle of their calls`, () => {
	const dataDir = newDataDir()
	const clients: TestClient[] = []
	let program: Program
	let upstream: ScriptedUpstream
	/** Unexpected answers to clients; broken connections are not counted. */
	const seen: string[] = []
	const written: string[] = []
	let isOver = false

	beforeAll(async () => {
		const tools = ['read', 'write'].map((name) => ({ name, inputSchema: { type: 'object' } }))
		// The delay is long enough that calls of both kinds are running at each kill.
		upstream = await startScriptedUpstream(tools, (message, response) => {
			setTimeout(() => sendText(response, message.id, nonceOf(message)), 100)
		})
		program = await startProgram(dataDir)
		const { api } = program
		const { id: serverId } = await api<{ id: string }>(
			'POST',
			'/v1/mcp/servers',
			{ name: 'Slow', url: upstream.url },
			201,
		)
		for (let at = 0; at < clientCount; at += 1) {
			const name = `agent-${at}`
			const { id } = await api<{ id: string }>('POST', '/v1/agents', { name }, 201)
			const { key } = await api<{ key: string }>('POST', `/v1/agents/${id}/keys`, { name }, 201)
			await api('POST', `/v1/mcp/servers/${serverId}/access`, { agent_uuid: id, access_mode: 'all' }, 201)
			const session =
				at % 3 === 2 ? '' : await openSession(`${program.url}/mcp`, key, at % 3 === 1 ? { roots: {} } : {})
			clients.push({ name, key, session })
		}
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		await upstream?.close()
		removeDataDir(dataDir)
	})

	/** Returns null if the connection broke or the program was not ready yet. */
	const send = async (
		{ key, session }: TestClient,
		id: number,
		method: string,
		params: object,
	): Promise<Answer | null> => {
		const url = `${program.url}/mcp`
		try {
			const answer = session
				? await post(url, key, { id, method, params }, { 'mcp-session-id': session })
				: await post(
						url,
						key,
						{ id, method, params: { ...params, _meta: modernMeta } },
						modernHeadersOf(method, params),
					)
			return answer.status === 503 || answer.messages.length === 0 ? null : answer
		} catch {
			return null
		}
	}
	const modernHeadersOf = (method: string, params: { name?: string }) => modernHeaders(method, params.name)
	/** Retries a request that is safe to repeat until it is answered. */
	const sendAgain = async (
		client: TestClient,
		id: number,
		method: string,
		params: object,
	): Promise<Answer | null> => {
		for (;;) {
			const answer = await send(client, id, method, params)
			if (answer || isOver) return answer
			await pause(50)
		}
	}
	const textIn = (answer: Answer | null) => answer?.messages.at(-1)?.result?.content?.[0]?.text
	const note = (client: TestClient, what: string, answer: Answer | null) =>
		void seen.push(
			`${client.name} ${what}: ${answer?.status} ${JSON.stringify(answer?.messages).slice(0, 300)}`,
		)

	const work = async (client: TestClient) => {
		for (let n = 1; !isOver; n += 3) {
			const listed = await sendAgain(client, n, 'tools/list', {})
			if (listed && listed.messages.at(-1)?.result?.tools?.length !== 2) note(client, 'list', listed)
			const nonce = `${client.name}-${n}`
			const read = await sendAgain(client, n + 1, 'tools/call', { name: 'slow__read', arguments: { nonce } })
			if (read && textIn(read) !== nonce) note(client, 'read', read)
			// The write is never retried.
			const one = `write-${nonce}`
			const wrote = await send(client, n + 2, 'tools/call', {
				name: 'slow__write',
				arguments: { nonce: one },
			})
			if (textIn(wrote) === one) written.push(one)
			else if (wrote) note(client, 'write', wrote)
		}
	}

	it('continue their sessions after each restart, and no write is executed twice', async () => {
		const working = clients.map(work)
		for (let kill = 0; kill < kills; kill += 1) {
			const before = written.length
			await expect.poll(() => written.length, { timeout: 30_000 }).toBeGreaterThan(before + clientCount)
			await pause(Math.random() * 200)
			await program.kill('SIGKILL')
			program = await startProgram(dataDir)
		}
		const before = written.length
		await expect.poll(() => written.length, { timeout: 30_000 }).toBeGreaterThan(before + clientCount)
		isOver = true
		await Promise.all(working)
		expect(seen).toEqual([])
		const done = upstream
			.calls()
			.map((message) => nonceOf(message))
			.filter((nonce) => nonce.startsWith('write-'))
		expect(done.filter((nonce, at) => done.indexOf(nonce) !== at)).toEqual([])
		// Every write that was answered reached the server. A write interrupted by a kill may or may not have.
		expect(written.filter((nonce) => !done.includes(nonce))).toEqual([])
	}, 300_000)
})
