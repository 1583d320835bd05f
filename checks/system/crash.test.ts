import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startMockProvider } from '../../server/src/model-proxy/testing.ts'
import { newDataDir, type Program, removeDataDir, startProgram } from '../../server/src/program.testing.ts'
import { startEverythingServer } from '../../server/src/servers/testing.ts'
import { compare } from './stored.ts'
import { newLedger, startWriters } from './writers.ts'

const kills = process.env.LONG_TESTS ? 500 : 50
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe(`acknowledged means kept, over ${kills} kill -9 of the program and ${kills} of its engine`, () => {
	const dataDir = newDataDir()
	const ledgers = { otlp: newLedger(), gateway: newLedger(), models: newLedger() }
	let program: Program
	let upstream: Awaited<ReturnType<typeof startEverythingServer>>
	let provider: Awaited<ReturnType<typeof startMockProvider>>
	let targets: Parameters<typeof startWriters>[0]

	beforeAll(async () => {
		upstream = await startEverythingServer()
		provider = await startMockProvider()
		program = await startProgram(dataDir)
		targets = { url: () => program.url, ...(await setUp(program, upstream.url, provider.url)) }
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		await Promise.all([upstream?.close(), provider?.close()])
		removeDataDir(dataDir)
	})

	it('kills the program at random moments', async () => {
		const writers = startWriters(targets, ledgers)
		for (let count = 0; count < kills; count += 1) {
			await pause(Math.random() * 600)
			await program.kill('SIGKILL')
			program = await startProgram(dataDir)
		}
		await writers.stop()
		for (const ledger of Object.values(ledgers)) expect(ledger.acknowledged.size).toBeGreaterThan(kills)
	}, 1_800_000)

	it('kills the ClickHouse child at random moments', async () => {
		const writers = startWriters(targets, ledgers)
		const pidsSeen = new Set<number>()
		while (pidsSeen.size < kills) {
			await pause(Math.random() * 300)
			for (const pid of program.children().filter((child) => !pidsSeen.has(child))) {
				pidsSeen.add(pid)
				process.kill(pid, 'SIGKILL')
			}
		}
		await writers.stop()
	}, 1_800_000)

	it.each([
		['otlp', 'otlp'],
		['gateway', 'gateway'],
		['models', 'model_proxy'],
	] as const)(
		'stored everything acknowledged over %s exactly once, and nothing that was never sent',
		async (door, source) => {
			const result = await compare(program, source, ledgers[door])
			console.log(
				`${door}: ${ledgers[door].acknowledged.size} acknowledged of ${ledgers[door].sent.size} sent, lost ${result.lost.length}, doubled ${result.doubled.length}`,
			)
			expect(result).toEqual({ lost: [], doubled: [], unknown: [] })
		},
	)
})

async function setUp(program: Program, serverUrl: string, providerUrl: string) {
	const server = await program.api<{ id: string; slug: string }>(
		'POST',
		'/v1/mcp/servers',
		{ name: 'Everything', url: serverUrl },
		201,
	)
	const agent = await program.api<{ uuid: string }>('POST', '/v1/agents', { name: 'Crash' }, 201)
	const { key } = await program.api<{ key: string }>(
		'POST',
		`/v1/agents/${agent.uuid}/keys`,
		{ name: 'k' },
		201,
	)
	await program.api(
		'POST',
		`/v1/mcp/servers/${server.id}/access`,
		{ agent_uuid: agent.uuid, access_mode: 'all' },
		201,
	)
	await program.api(
		'POST',
		'/v1/provider-keys',
		{ name: 'openai', provider: 'openai', key: 'sk-crash-test', base_url: `${providerUrl}/v1` },
		201,
	)
	const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 't' }, 201)
	return { ingestToken: token, agentKey: key, serverSlug: server.slug }
}
