import { afterAll, beforeAll, expect, test } from 'vitest'
import { indexOwnAttributes } from './attribute-index.ts'
import { attributeConditions } from './reads/attribute-conditions.ts'
import { originSql, spanColumnNames } from './span-columns.ts'
import { newSpanRow } from './span-row.ts'
import { encodeSpanRow } from './span-row-binary.ts'
import { startTelemetryStore } from './store.testing.ts'

let engine: Awaited<ReturnType<typeof startTelemetryStore>>
beforeAll(async () => {
	engine = await startTelemetryStore()
	for (const batch of [0, 1, 2]) await insert(batch)
})
afterAll(() => engine.close())

/**
 * Names and values that could be confused when concatenated, empty ones, equal ones on a span and its resource, and what has a meaning in the
 * text of an origin or in a regular expression.
 */
const odd = '.\t%(b\n'
const names = ['a', 'ab', 'route', 'name=with', odd]
const values = [undefined, '', 'b', 'bc', 'c', '7', '70', 'route', 'x'.repeat(3000), '%09\t\n\\']

async function insert(batch: number): Promise<void> {
	const rows = Array.from({ length: 400 }, (_, at) => {
		const pick = (part: number) => values[(at * 7 + batch * 5 + part * (1 + (at % 8))) % values.length]
		const map = (parts: readonly number[]) =>
			new Map(
				parts.flatMap((part) => {
					const value = pick(part)
					return value === undefined ? [] : [[names[part % names.length] as string, value] as const]
				}),
			)
		return newSpanRow({
			...{ workspaceId: 'w', traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: `${batch}.${at}` },
			...{ startNs: BigInt(Date.now()) * 1_000_000n, source: 'otlp', kind: 'other' },
			...{ attributes: map([0, 1, 2, 3, 4]), resource: map(at % 3 === 0 ? [] : [4, 5, 6, 7, 9]) },
		})
	})
	await engine.store.insertRowBinary({
		...{ table: 'spans', columns: spanColumnNames, deduplicationToken: `b${batch}` },
		rows: rows.map(encodeSpanRow),
	})
}

const asked = ['a', 'ab', 'route', 'absent'].flatMap((name) => [
	...[name, `!${name}`, `${name}=`, `${name}!=`, `${name}=bc`, `${name}!=bc`, `${name}=7`, `${name}~=B`],
	...[`${name}!~=b`, `${name}>5`, `${name}<=7`, `${name}=${'x'.repeat(3000)}`, `${name}=with=b`],
])
asked.push(...[odd, `!${odd}`, `${odd}=%09\t\n\\`, `${odd}~=9\t\n`, `${odd}=\t\t\n\\`, 'a=%09\t\n\\', 'ab!='])

/** The same spans with their resource as a map. */
const spansWithMaps = `(SELECT workspace_id, name, attributes, mapFromArrays(${originSql.all('names')}, ${originSql.all('values')}) AS resource FROM spans)`

/** The names of the spans that match each filter, found without the index: one query that reads all attributes. */
async function readForEach(): Promise<string[][]> {
	const parameters: Record<string, unknown> = {}
	const conditions = asked.map((filter, at) => {
		const found = attributeConditions([filter], { parameter: `filter${at}_`, columns: new Map() })
		Object.assign(parameters, found.parameters)
		return `(true${found.sql})`
	})
	const rows = await engine.store.query<{ name: string; matches: boolean[] }>(
		`SELECT name, [${conditions.join(', ')}] AS matches FROM ${spansWithMaps} WHERE workspace_id = 'w' ORDER BY name`,
		parameters,
	)
	return asked.map((_, at) => rows.filter(({ matches }) => matches[at]).map(({ name }) => name))
}

async function expectTheSame(): Promise<void> {
	const read = await readForEach()
	for (const [at, filter] of asked.entries()) {
		const { sql, parameters } = attributeConditions([filter], {
			...{ parameter: 'filter', columns: new Map(), spans: {} },
		})
		const rows = await engine.store.query<{ name: string }>(
			`SELECT name FROM spans WHERE workspace_id = 'w'${sql} ORDER BY name`,
			parameters,
		)
		expect(
			rows.map(({ name }) => name),
			filter.slice(0, 40),
		).toEqual(read[at])
	}
	expect(new Set(read.map(({ length }) => length)).size).toBeGreaterThan(5)
}

test('conditions on attributes match the same spans with and without the index, in new, merged and old parts', async () => {
	await expectTheSame()
	await engine.store.command('OPTIMIZE TABLE spans FINAL')
	await expectTheSame()
	await engine.store.command('ALTER TABLE spans DROP INDEX own_attribute_tokens SETTINGS mutations_sync = 2')
	await expectTheSame()
	// The state after an upgrade of an older store: some parts have the index, others not yet.
	await engine.store.command(indexOwnAttributes[1] as string)
	await insert(3)
	await expectTheSame()
	await engine.store.command((indexOwnAttributes[2] as string).replace('= 0', '= 2'))
	await expectTheSame()
})

test("a span's own attribute counts before that of its resource, in conditions as in groups", async () => {
	const groups = await engine.store.query<{ value: string; names: string[] }>(
		`SELECT if(mapContains(attributes, 'route'), attributes['route'], ${originSql.textOf("'route'")}) AS value, arraySort(groupArray(name)) AS names
		FROM spans WHERE workspace_id = 'w' AND value != '' GROUP BY value`,
	)
	expect(groups.length).toBeGreaterThan(5)
	for (const { value, names } of groups) {
		const { sql, parameters } = attributeConditions([`route=${value}`], {
			...{ parameter: 'filter', columns: new Map(), spans: {} },
		})
		const rows = await engine.store.query<{ name: string }>(
			`SELECT name FROM spans WHERE workspace_id = 'w'${sql} ORDER BY name`,
			parameters,
		)
		expect(
			rows.map(({ name }) => name),
			value.slice(0, 40),
		).toEqual(names)
	}
})

test('a value is found with the index, without reading the attributes', async () => {
	const { sql, parameters } = attributeConditions(['route=bc'], {
		...{ parameter: 'filter', columns: new Map(), spans: {} },
	})
	const plan = await engine.store.query<Record<string, string>>(
		`EXPLAIN actions = 1, indexes = 1 SELECT count() FROM spans WHERE workspace_id = 'w'${sql}`,
		parameters,
	)
	const words = plan.map((row) => Object.values(row)[0]).join('\n')
	expect(words).toContain('__text_index_own_attribute_tokens')
	expect(words).not.toContain('mapKeys')
})
