import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operation, Strict } from '@signalbox/contract'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLog, silentLog } from '../log.ts'
import { createSafeFetch } from '../safe-fetch.ts'
import { createApi } from './api.ts'
import { createOriginCheck } from './cors.ts'
import { createIngress } from './ingress.ts'
import { type Listener, listen } from './listener.ts'
import { LiveRequests } from './live-requests.ts'
import { bind } from './operations.ts'
import { refuseWithProblem } from './refusals.ts'

const probe = operation({
	id: 'probe',
	method: 'POST',
	path: '/probe',
	summary: 'Asks another program',
	access: { public: true },
	status: 200,
	response: Strict({ seen: Type.String() }),
})

describe('the trace of a request', () => {
	const lines: Record<string, unknown>[] = []
	const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
	const safeFetch = createSafeFetch({ allowedNetworks: null, loopbackAllowed: true, forbidden: () => [] })
	let other: Server
	let listener: Listener

	beforeAll(async () => {
		other = createServer((request, response) =>
			response.end(`${request.headers.traceparent ?? ''} ${request.headers.tracestate ?? ''}`),
		)
		await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
		const api = await createApi(
			bind(
				{ probe },
				{
					probe: async () => {
						const { port } = other.address() as AddressInfo
						const answer = await safeFetch.fetch(`http://127.0.0.1:${port}/`)
						await new Promise((done) => setTimeout(done, 1))
						log.info('asked')
						return { seen: await answer.text() }
					},
				},
			),
			log,
		)
		const refuse = refuseWithProblem
		const ingress = createIngress({
			routes: api.routes,
			authenticate: () => null,
			refusals: { api: refuse, mcp: refuse, model: refuse, otlp: refuse, page: refuse },
			checkOrigin: createOriginCheck({ publicHost: null, loopbackOnly: true, corsOrigins: [] }),
			onDenied: () => {},
			liveRequests: new LiveRequests(),
			log: silentLog,
		})
		listener = await listen('127.0.0.1', 0, ingress)
	})
	afterAll(async () => {
		await listener.close(0)
		await safeFetch.close()
		await new Promise((done) => other.close(done))
	})

	const ask = async (headers: Record<string, string>) => {
		const response = await fetch(`http://127.0.0.1:${listener.port}/probe`, { method: 'POST', headers })
		const { seen } = (await response.json()) as { seen: string }
		return { shown: response.headers.get('traceparent') ?? '', seen, line: lines.at(-1) }
	}
	const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
	const given = `00-${traceId}-00f067aa0ba902b7-00`

	it('is continued in the response, in the log and in requests made on its behalf', async () => {
		const { shown, seen, line } = await ask({ traceparent: given, tracestate: 'a=1' })
		expect(shown).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
		expect(shown).not.toBe(given)
		expect(seen).toBe(`${shown} a=1`)
		expect(line).toMatchObject({ msg: 'asked', trace_id: traceId })
	})

	it.each([
		['none was given', {}],
		['the given one is malformed', { traceparent: `00-${traceId}-0-01` }],
		['the given one is all zeros', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }],
		['its version is forbidden', { traceparent: `ff${given.slice(2)}` }],
	])('starts again when %s', async (_name, headers) => {
		const { shown, seen, line } = await ask({ ...headers, tracestate: 'a=1' })
		expect(shown).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
		expect(shown).not.toContain(traceId)
		expect(seen).toBe(`${shown} `)
		expect(line?.trace_id).toBe(shown.slice(3, 35))
	})

	it('stays separate for concurrent requests, and log lines outside of requests have none', async () => {
		const other = given.replace('4bf9', '5bf9')
		const [one, two] = await Promise.all([ask({ traceparent: given }), ask({ traceparent: other })])
		expect([one.seen.slice(3, 7), two.seen.slice(3, 7)]).toEqual(['4bf9', '5bf9'])
		log.info('by itself')
		expect(lines.at(-1)).not.toHaveProperty('trace_id')
	})
})
