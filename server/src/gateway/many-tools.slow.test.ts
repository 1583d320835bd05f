import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestGateway, type TestAgent, type TestGateway } from './testing.ts'
import { type ScriptedUpstream, startScriptedUpstream } from './testing-upstream.ts'

const serverCount = 100
const toolsEach = 20
const lists = 100
const rounds = process.env.LONG_TESTS ? 5 : 1

let gateway: TestGateway
let upstream: ScriptedUpstream
let agent: TestAgent

const inputSchema = {
	type: 'object',
	properties: { query: { type: 'string', description: 'What to look for' }, limit: { type: 'integer' } },
	required: ['query'],
}
const tools = Array.from({ length: toolsEach }, (_, at) => ({
	name: `search_tickets_${at}`,
	description: 'Searches the tickets of the support desk, newest first, and answers with their titles.',
	inputSchema,
}))

beforeAll(async () => {
	gateway = await openTestGateway({ pageItems: serverCount * toolsEach })
	upstream = await startScriptedUpstream(tools, () => {})
	agent = await gateway.addAgent('Rosa')
	const names = tools.map(({ name }) => name)
	for (let at = 0; at < serverCount; at += 1) {
		const id = await gateway.addServer(`desk ${at}`, upstream.url)
		// Every second server is granted tool by tool, which makes the access decision more expensive.
		await gateway.grant(agent.id, id, at % 2 === 0 ? null : names)
	}
}, 120_000)
afterAll(async () => {
	await gateway?.close()
	await upstream?.close()
})

interface Times {
	/** Of each request, sorted. */
	timesMs: number[]
	/** CPU time of one request in this process. */
	cpuMs: number
}

/**
 * Times of requests to several addresses in turn, because a busy machine is slow for all of them. Answers are read but not parsed.
 */
async function timesOf(requests: readonly (() => Promise<Response>)[]): Promise<Times[]> {
	const found: Times[] = requests.map(() => ({ timesMs: [], cpuMs: 0 }))
	for (let at = -20; at < lists; at += 1)
		for (const [index, request] of requests.entries()) {
			const [startMs, before] = [performance.now(), process.cpuUsage()]
			await (await request()).arrayBuffer()
			const { user, system } = process.cpuUsage(before)
			const times = found[index] as Times
			if (at < 0) continue
			times.timesMs.push(performance.now() - startMs)
			times.cpuMs += (user + system) / 1000 / lists
		}
	for (const { timesMs } of found) timesMs.sort((a, b) => a - b)
	return found
}

/** The mean of the slowest twentieth: the 99th percentile is a single answer. */
function slowestMs({ timesMs }: Times): number {
	const slowest = timesMs.slice(-lists / 20)
	return slowest.reduce((sum, timeMs) => sum + timeMs, 0) / slowest.length
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]

function shown(times: Times): string {
	const p50 = times.timesMs[lists / 2] as number
	const p99 = times.timesMs[Math.floor(lists * 0.99) - 1] as number
	const [half, most, slowest, cpu] = [p50, p99, slowestMs(times), times.cpuMs].map((ms) => ms.toFixed(1))
	return `p50 ${half} ms, p99 ${most} ms, slowest 5 % ${slowest} ms, CPU ${cpu} ms`
}

it('2,000 tools of 100 servers are listed at a few times the cost of sending the list', async () => {
	const post = () =>
		fetch(`${gateway.url}/mcp`, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				authorization: `Bearer ${agent.key}`,
				'mcp-protocol-version': '2026-07-28',
				'mcp-method': 'tools/list',
			},
			body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
		})
	const text = await (await post()).text()
	expect(JSON.parse(text).result.tools).toHaveLength(serverCount * toolsEach)
	const bare = createServer((request, response) => {
		request.resume()
		response.writeHead(200, { 'content-type': 'application/json' }).end(text)
	})
	await new Promise<void>((done) => bare.listen(0, '127.0.0.1', done))
	const port = (bare.address() as AddressInfo).port
	const ratios: { cpu: number; slowest: number }[] = []
	for (let round = 0; round < rounds; round += 1) {
		const [listed, sent] = (await timesOf([post, () => fetch(`http://127.0.0.1:${port}`)])) as [Times, Times]
		process.stdout.write(`tools/list: ${shown(listed)}; the same bytes by a bare server: ${shown(sent)}\n`)
		ratios.push({ cpu: listed.cpuMs / sent.cpuMs, slowest: slowestMs(listed) / slowestMs(sent) })
	}
	await new Promise((done) => bare.close(done).closeAllConnections())
	// A list costs some three times what a bare server needs for its bytes.
	expect(median(ratios.map(({ cpu }) => cpu)), JSON.stringify(ratios)).toBeLessThan(6)
	// The slowest lists take 2.5 to 3 times as long as a bare server's slowest answers. One round would show what else the machine does.
	if (process.env.LONG_TESTS)
		expect(median(ratios.map(({ slowest }) => slowest)), JSON.stringify(ratios)).toBeLessThan(4)
})

const meta = {
	'io.modelcontextprotocol/protocolVersion': '2026-07-28',
	'io.modelcontextprotocol/clientCapabilities': {},
}
