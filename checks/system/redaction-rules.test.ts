import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { openCrashStage, openWorkspace } from './crash-stage.ts'
import { startWriters, type WriterTargets } from './writers.ts'

let stage: Awaited<ReturnType<typeof openCrashStage>>
let program: Awaited<ReturnType<typeof openWorkspace>>
let targets: WriterTargets

beforeAll(async () => {
	stage = await openCrashStage()
	program = await openWorkspace('Redaction')
	targets = { url: () => program.url, ...(await stage.setUp(program)) }
})
afterAll(() => stage?.close())

const sources = { otlp: 'crash test', gateway: 'tools/call echo', model_proxy: 'chat gpt-x' }
const spansOf = async (source: string) => {
	const path = `/v1/telemetry/spans?start=-1h&limit=1000&source=${source}`
	return (await program.api<{ spans: { name: string }[] }>('GET', path)).spans
}

it('a rule applies to everything that arrives after its creation, by OTLP, the gateway and the model proxy', async () => {
	const rule = { name: 'Names', pattern: 'crash test|echo|gpt-x', label: 'own', applies_to: ['all'] }
	await program.api('POST', '/v1/redaction-rules', rule, 201)
	const writers = startWriters(targets, stage.ledgers)
	const enough = () => Object.values(stage.ledgers).every(({ acknowledged }) => acknowledged.size >= 3)
	await vi.waitFor(() => expect(enough()).toBe(true), { timeout: 30_000 })
	await writers.stop()
	for (const [source, name] of Object.entries(sources)) {
		const spans = await vi.waitFor(async () => {
			const found = await spansOf(source)
			expect(found.length).toBeGreaterThanOrEqual(3)
			return found
		}, 10_000)
		const left = name.replace(new RegExp(rule.pattern), '[redacted:own]')
		expect([source, ...new Set(spans.map((span) => span.name))]).toEqual([source, left])
	}
}, 60_000)

it('a rule for one ingest token applies only to telemetry sent with that token', async () => {
	const made = await program.api<{ id: string; token: string }>(
		'POST',
		'/v1/ingest-tokens',
		{ name: 'own' },
		201,
	)
	const rule = {
		name: 'Of one',
		pattern: 'reported',
		label: 'one',
		applies_to: ['all'],
		ingest_token_id: made.id,
	}
	await program.api('POST', '/v1/redaction-rules', rule, 201)
	for (const token of [made.token, targets.ingestToken]) await sendNamed('reported', token)
	await vi.waitFor(async () => {
		const names = (await spansOf('otlp')).map(({ name }) => name)
		expect(names.filter((name) => name === 'reported' || name === '[redacted:one]').sort()).toEqual([
			'[redacted:one]',
			'reported',
		])
	}, 10_000)
}, 60_000)

async function sendNamed(name: string, token: string): Promise<void> {
	const at = String(BigInt(Date.now()) * 1_000_000n)
	const span = {
		traceId: 'ab'.repeat(16),
		spanId: 'cd'.repeat(8),
		name,
		startTimeUnixNano: at,
		endTimeUnixNano: at,
	}
	const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
	const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
	const send = () => fetch(`${program.url}/v1/traces`, { method: 'POST', headers, body })
	let response = await send()
	// Retries like an exporter while the program is overloaded.
	for (let left = 20; response.status === 503 && left > 0; left -= 1) {
		await setTimeout(1000 * Number(response.headers.get('retry-after') ?? 1))
		response = await send()
	}
	expect(response.status).toBe(200)
}
