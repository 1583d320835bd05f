import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTelemetryServer, type TelemetryServer } from '../testing.ts'
import { at, callsTo, gauge, logsOf, metricsOf, points, spansOf } from './stage.testing.ts'

let server: TelemetryServer
beforeAll(async () => {
	server = await startTelemetryServer()
})
afterAll(() => server.close())

const { send, get } = callsTo(() => server)

describe('lists by name', () => {
	const pages = async (path: string, list: string, between: () => Promise<void> = async () => {}) => {
		const found: object[] = []
		let cursor = ''
		do {
			const page = (await get('names', `${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)).json()
			expect(page[list].length).toBeLessThanOrEqual(2)
			found.push(...page[list])
			cursor = page.next_cursor
			await between()
		} while (cursor)
		return found
	}

	beforeAll(async () => {
		const long = 'x'.repeat(500)
		await send(
			'names',
			'metrics',
			metricsOf('web', gauge('b'), gauge('a'), gauge(`${long}1`), gauge(`${long}2`)),
		)
		await send('names', 'metrics', metricsOf('api', gauge('c', [{ ...points[0], attributes: [] }])))
		await send('names', 'logs', logsOf('worker', 'one'))
		await send('names', 'traces', spansOf('browser', ['a', 'x', '', 0]))
	})

	test('metrics are returned page by page, each once, also while points arrive', async () => {
		const more = () =>
			send('names', 'metrics', metricsOf('web', gauge('a', [{ timeUnixNano: at(60), asInt: '1' }])))
		const metrics = (await pages('/metrics?limit=2', 'metrics', more)) as { name: string }[]
		expect(metrics.map(({ name }) => name.slice(-3)).sort()).toEqual(['a', 'b', 'c', 'xx1', 'xx2'])
		expect(metrics.slice(0, 3).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
	})

	test('resources are returned page by page, each once', async () => {
		const resources = (await pages('/resources?limit=2', 'resources')) as { service_name: string }[]
		expect(resources.map(({ service_name }) => service_name)).toEqual(['api', 'browser', 'web', 'worker'])
	})

	test.each([
		['/metrics', 'route=/a', ['a', 'b']],
		['/metrics', 'service.name=api', ['c']],
		['/metrics', '!route', ['a', 'c']],
		['/resources', 'route', ['web']],
		['/resources', 'n=0', ['worker']],
		['/resources', 'service.name~=W', ['browser', 'web', 'worker']],
		['/resources', 'service.name=browser', ['browser']],
	])('%s with %s are %s', async (path, filter, expected) => {
		const body = (await get('names', `${path}?attribute=${encodeURIComponent(filter)}`)).json()
		const names = (body.metrics ?? body.resources).map(
			(each: { name?: string; service_name?: string }) => each.name ?? each.service_name,
		)
		expect(names.filter((name: string) => name.length < 10)).toEqual(expected)
	})

	test('a cursor of one list is invalid in another', async () => {
		const { next_cursor } = (await get('names', '/metrics?limit=1')).json()
		expect((await get('names', `/resources?cursor=${encodeURIComponent(next_cursor)}`)).status).toBe(400)
		expect((await get('nobody', `/metrics?cursor=${encodeURIComponent(next_cursor)}`)).status).toBe(400)
	})
})
