import { expect, test } from 'vitest'
import { conditionsOf, parseCondition, searchOf, writeCondition } from '../spotlight/conditions.ts'
import { linkToCalls } from '../spotlight/link-to-calls.ts'
import { filterOf, parseSpotlightSearch } from '../spotlight/spotlight-search.ts'
import { explorerNames, explorerQuery, parseExplorerSearch } from './explorer-search.ts'
import { parseLogsSearch, severityName } from './logs-search.ts'
import { aggregatesFor, lastSent, unitOf } from './metrics-search.ts'

test('valid parameters of a URL are kept, and invalid ones are dropped', () => {
	const search = {
		view: 'calls',
		kind: 'mcp',
		status: 'nonsense',
		tool: 7,
		user_id: '',
		start: '-1h',
		q: 'x',
	}
	expect(parseExplorerSearch(search)).toEqual({ view: 'calls', kind: 'mcp', tool: '7', start: '-1h' })
	expect(explorerQuery(parseExplorerSearch({ view: 'calls' }))).toEqual({ start: '-24h' })
})

test('conditions on attributes are validated like in the API', () => {
	const attribute = ['http.route=/v1', 'retry.count>=2', 'error.type', '!user.id', '=x', '', 5]
	expect(parseExplorerSearch({ attribute }).attribute).toEqual(attribute.slice(0, 4))
	expect(parseLogsSearch({ attribute: 'k=v' }).attribute).toEqual(['k=v'])
})

test('the calls behind a figure are listed with the same conditions', () => {
	const search = parseSpotlightSearch({
		by: 'models',
		start: '-7d',
		agent: 'a1',
		server: 's1',
		model: 'm',
		kind: 'x',
	})
	expect(filterOf(search)).toEqual({ agent: 'a1', server: 's1', model: 'm' })
	const behind = linkToCalls(filterOf(search), { start: '-7d' }, 'failed')
	expect(behind).toEqual({
		...{ view: 'calls', calls: 'counted_failed', start: '-7d' },
		...{ agent_uuid: 'a1', server_id: 's1', model: 'm' },
	})
	expect(parseExplorerSearch(behind)).toEqual(behind)
})

test('severities are named after their ranges', () => {
	expect([0, 1, 8, 9, 17, 24].map(severityName)).toEqual(['–', 'TRACE', 'DEBUG', 'INFO', 'ERROR', 'FATAL'])
	expect(parseLogsSearch({ severity_min: '13' }).severity_min).toBe(13)
	expect(parseLogsSearch({ severity_min: '2' }).severity_min).toBeUndefined()
})

test('a counter is not averaged, a histogram has quantiles', () => {
	expect(aggregatesFor({ kind: 'sum', is_monotonic: true })).toEqual(['rate', 'sum'])
	expect(aggregatesFor({ kind: 'histogram', is_monotonic: false })[0]).toBe('p95')
})

test('a count of observations has not their unit, and a rate is per second', () => {
	const unitsOf = (kind: 'histogram' | 'sum' | 'gauge', unit: string) =>
		(['sum', 'count', 'rate'] as const).map((aggregate) => unitOf({ kind, unit }, aggregate))
	expect(unitsOf('histogram', 'ms')).toEqual(['ms', '', '/s'])
	expect(unitsOf('sum', '{job}')).toEqual(['job', '', 'job/s'])
	expect(unitsOf('gauge', '1')[0]).toBe('')
})

test('of a metric that changed its kind, the one that was sent last is drawn', () => {
	const sent = ['gauge', 'sum'].map((kind, at) => ({
		name: 'jobs',
		kind,
		last_at: `2026-01-0${at + 1}T00:00:00.000Z`,
	}))
	expect([lastSent(sent, 'jobs')?.kind, lastSent(sent, 'other')]).toEqual(['sum', undefined])
})

test.each([
	'tool=a=b',
	'tool!=a',
	'user~=mara',
	'text!~=x',
	'duration_ms>=500',
	'error_type',
	'!user',
	'@http.route<5',
])('the condition %s is parsed and formatted again', (text) => {
	expect(writeCondition(parseCondition(text))).toBe(text)
})

test('a filter is one list of conditions, whatever the parameters are named', () => {
	const search = parseExplorerSearch({
		...{ view: 'calls', agent_uuid: 'a1', status: 'error', attribute: ['http.route=/v1', '!x'] },
		filter: ['tool!~=search', 'tool!=read', 'nonsense=!~'],
	})
	const conditions = [
		'agent=a1',
		'status=error',
		'@http.route=/v1',
		'!@x',
		'tool!~=search',
		'tool!=read',
		'nonsense=!~',
	]
	expect(conditionsOf(search, explorerNames)).toEqual(conditions)
	expect(parseExplorerSearch(searchOf(conditions, explorerNames))).toEqual({
		...{ agent_uuid: 'a1', status: 'error' },
		filter: conditions.slice(2),
	})
})
