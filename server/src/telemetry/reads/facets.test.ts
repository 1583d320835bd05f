import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { at, callsTo, gauge, int, metricsOf, points, text } from './stage.testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
	await send('facets', 'logs', logs('web', [9, '/a'], [17, '/a'], [18, '/b'], [0, '/a']))
	await send('facets', 'logs', logs('worker', [13, '/b']))
	await send('facets', 'metrics', metricsOf('web', gauge('a'), gauge('b')))
	await send('facets', 'metrics', metricsOf('api', gauge('c', [{ ...points[0], attributes: [] }])))
})
afterAll(() => server.close())

const { send, get } = callsTo(() => server)

/** Each with a route, a unique id, and an event on every second one. */
const logs = (service: string, ...records: [severity: number, route: string][]) =>
	JSON.stringify({
		resourceLogs: [
			{
				resource: { attributes: [text('service.name', service), text('region', 'eu')] },
				scopeLogs: [
					{
						logRecords: records.map(([severityNumber, route], index) => ({
							timeUnixNano: at(index),
							severityNumber,
							body: { stringValue: `${service} ${index}` },
							...(index === 1 && { eventName: 'charged' }),
							attributes: [text('route', route), int(`only-${service}-${index}`, index)],
						})),
					},
				],
			},
		],
	})

async function facetsOf(path: string): Promise<Record<string, Record<string, number>>> {
	const answer = await get('facets', path)
	expect(answer.status).toBe(200)
	const { facets } = answer.json() as {
		facets: { field: string; total: number; values: { value: string; count: number }[] }[]
	}
	return Object.fromEntries(
		facets.map(({ field, values }) => [
			field,
			Object.fromEntries(values.map(({ value, count }) => [value, count])),
		]),
	)
}

describe('facets of logs and metrics', () => {
	test('count the severities, services, events and common attributes of log records', async () => {
		const found = await facetsOf('/logs/facets')
		expect(found).toMatchObject({
			severity: { ERROR: 2, INFO: 1, WARN: 1 },
			service: { web: 4, worker: 1 },
			event_name: { charged: 1 },
			route: { '/a': 3, '/b': 2 },
		})
		expect(Object.keys(found).slice(0, 4)).toEqual(['severity', 'service', 'event_name', 'route'])
	})

	test.each([
		['service=worker', { service: { web: 4, worker: 1 }, route: { '/b': 1 }, severity: { WARN: 1 } }],
		['severity_min=17', { severity: { ERROR: 2, INFO: 1, WARN: 1 }, service: { web: 2 } }],
		['attribute=route%3D/b', { route: { '/a': 3, '/b': 2 }, service: { web: 1, worker: 1 } }],
		['attribute=route!%3D/b', { route: { '/a': 3, '/b': 2 }, service: { web: 3 } }],
		['text=web%201', { severity: { ERROR: 1 }, event_name: { charged: 1 } }],
	])('%s narrows the other fields, but not its own', async (query, expected) => {
		const found = await facetsOf(`/logs/facets?${query}`)
		for (const [field, values] of Object.entries(expected))
			expect([field, found[field]]).toEqual([field, values])
	})

	test('say how many records are errors, and how many values there are beyond those listed', async () => {
		const { facets } = (await get('facets', '/logs/facets?fields=service&fields=region&limit=1')).json()
		expect(facets).toEqual([
			{ field: 'service', total: 2, values: [{ value: 'web', label: null, count: 4, errors: 2 }] },
			{ field: 'region', total: 1, values: [{ value: 'eu', label: null, count: 5, errors: 2 }] },
		])
	})

	test('count the services and attributes of data points, and include nothing of another workspace', async () => {
		const found = await facetsOf('/metrics/facets')
		expect(Object.keys(found.service ?? {}).sort()).toEqual(['api', 'web'])
		expect(Object.keys(found)).toContain('route')
		expect(await facetsOf('/metrics/facets?service=api')).toMatchObject({ service: found.service, route: {} })
		const { facets } = (await get('nobody', '/metrics/facets')).json()
		expect(facets).toEqual([{ field: 'service', total: 0, values: [] }])
	})
})
