import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { type SessionStage, stageSessions } from '../sessions/stage.testing.ts'

let stage: SessionStage
let database: Awaited<ReturnType<typeof openTestSqlite>>

beforeAll(async () => {
	database = await openTestSqlite()
	stage = await stageSessions(database.store)
	await stage.record(
		{ atS: 0, toolName: '=search', client: 'cli/1' },
		{ atS: 1, toolName: '=search', client: 'cli/2' },
		{ atS: 2, toolName: 'fetch', client: 'cli/1', status: 'error' },
	)
})
afterAll(async () => {
	await stage?.close()
	await database?.end()
})

const range = 'start=2026-06-01T00:00:00Z&end=2026-06-02T00:00:00Z'
const get = (path: string) =>
	stage.app.request('GET', `/v1/spotlight/${path}`, { token: stage.app.owner.token })

it('in JSON is the list, line by line', async () => {
	const { body } = await get(`tools?${range}&group_by=client`)
	const file = await get(`export?list=tools&format=json&${range}&group_by=client`)
	expect(file.body).toEqual(body.tools)
	expect(file.headers.get('content-disposition')).toBe('attachment; filename="tools.json"')
})

it('in CSV is a table that no spreadsheet executes', async () => {
	const { text, headers } = await get(`export?list=usage&${range}&group_by=tool`)
	const [head, ...lines] = text.trim().split('\r\n')
	expect(headers.get('content-type')).toContain('text/csv')
	expect(head).toContain('"calls","errors","error_rate","latency_ms.p50"')
	expect(head).toContain('"group.tool"')
	expect(lines).toHaveLength(2)
	expect(lines[0]).toContain(`"'=search"`)
})

it('compares time series like every list, each bucket with the one before', async () => {
	const days = 'start=2026-06-02T00:00:00Z&end=2026-06-03T00:00:00Z&compare=previous'
	const { body } = await get(`timeseries?${days}`)
	const file = await get(`export?list=timeseries&format=json&${days}`)
	expect(file.body).toEqual(
		body.buckets.map((bucket: object, at: number) => ({ ...bucket, previous: body.previous_buckets[at] })),
	)
	const callsIn = (sum: number, { previous }: { previous: { calls: number } }) => sum + previous.calls
	expect(file.body.reduce(callsIn, 0)).toBe(3)
	expect((await get(`export?list=timeseries&${days}`)).text.split('\r\n')[0]).toContain('"previous.calls"')
	expect((await get(`export?list=timeseries&${days}&group_by=tool`)).body).toMatchObject({
		status: 400,
		detail: 'compare: a file of time series by group has no comparison.',
	})
})

it('accepts time series, and refuses unknown parameters', async () => {
	const { body } = await get(`export?list=timeseries&format=json&${range}&group_by=tool`)
	expect(body.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0)).toBe(3)
	expect((await get(`export?list=secrets&${range}`)).status).toBe(400)
	expect((await get(`export?list=tools&color=red&${range}`)).status).toBe(400)
})
