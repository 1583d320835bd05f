import type { OpenApiDocument, Operation } from '@signalbox/contract'
import fc from 'fast-check'
import { arbitraryOf, type Known, type Schema } from './arbitrary-of-schema.ts'
import { type Chance, createChance, mutateBody } from './mutate.ts'

/** One request that the test sends. */
export interface FuzzCase {
	operation: Operation
	path: string
	body: Buffer | string | null
	headers: Record<string, string>
}

interface DocumentedOperation {
	parameters?: { name: string; in: string; required: boolean; schema: Schema }[]
	requestBody?: { content: Record<string, { schema: Schema }> }
}

const strangeSegments = [
	'%00',
	'%2e%2e',
	'%E0%A4',
	'%ED%A0%80',
	'a%2Fb',
	'~',
	"'",
	'%25',
	'x'.repeat(600),
	'__proto__',
	'%F0%9F%93%A1',
]
const strangeQueries = [
	'x=1',
	'__proto__=1',
	'page=0',
	'limit=-1',
	'limit=1e9',
	'page=1&page=2',
	'%ZZ',
	'sort[]=a',
	'q=%00',
	'cursor=%F0',
]

/** Generates requests from an operation's description: those with even index are valid (some with few fields), the others are damaged. */
export function casesOf(
	document: OpenApiDocument,
	operation: Operation,
	known: Known,
	{ count, seed }: { count: number; seed: number },
): FuzzCase[] {
	const documented = document.paths[operation.path]?.[operation.method.toLowerCase()] as DocumentedOperation
	const values = fc.sample(inputOf(documented, known), { numRuns: count, seed })
	return values.map((input, index) => {
		const chance = createChance(seed + index)
		const few =
			index % 4 === 0
				? { ...input, body: withFewFields(input.body, bodySchemaOf(documented), chance) }
				: input
		const made = toCase(operation, few, index)
		return index % 2 === 0 ? made : damage(made, input.body, chance)
	})
}

interface CaseInput {
	path: Record<string, unknown>
	query: Record<string, unknown>
	body: unknown
	key: string | null
}

function inputOf(documented: DocumentedOperation, known: Known): fc.Arbitrary<CaseInput> {
	const fields = (place: string) => {
		const own = (documented.parameters ?? []).filter((parameter) => parameter.in === place)
		const entries = own.map(({ name, schema }) => [name, arbitraryOf(schema, known, name)] as const)
		const requiredKeys = own.filter(({ required }) => required).map(({ name }) => name)
		return fc.record(Object.fromEntries(entries), { requiredKeys })
	}
	const body = bodySchemaOf(documented)
	return fc.record({
		path: fields('path'),
		query: fields('query'),
		body: body ? arbitraryOf(body, known) : fc.constant(undefined),
		key: fc.oneof(fc.constant(null), fc.constantFrom('a', 'b', 'c')),
	}) as fc.Arbitrary<CaseInput>
}

function bodySchemaOf({ requestBody }: DocumentedOperation): Schema | undefined {
	return requestBody?.content['application/json']?.schema
}

/** Keeps the required fields and one more. With all fields, a read-only one would nearly always differ from the stored value. */
function withFewFields(body: unknown, schema: Schema | undefined, chance: Chance): unknown {
	if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
	const entries = Object.entries(body)
	const one = entries.length > 0 ? chance.pick(entries)[0] : ''
	return Object.fromEntries(entries.filter(([name]) => name === one || schema?.required?.includes(name)))
}

function toCase(operation: Operation, { path, query, body, key }: CaseInput, index: number): FuzzCase {
	const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
		encodeURIComponent(String(path[name]).toWellFormed()),
	)
	const search = new URLSearchParams(
		Object.entries(query).map(([name, value]) => [name, String(value).toWellFormed()] as [string, string]),
	)
	return {
		operation,
		path: search.size > 0 ? `${filled}?${search}` : filled,
		body: body === undefined ? null : JSON.stringify(body),
		headers: {
			...(body !== undefined && { 'content-type': 'application/json' }),
			...(key !== null && operation.status === 201 && { 'idempotency-key': `${key}${index % 20}` }),
			...(index % 10 === 0 && { 'if-none-match': '"x", *' }),
			...(index % 7 === 0 && { 'if-match': '"x.y"' }),
		},
	}
}

function damage(made: FuzzCase, body: unknown, chance: Chance): FuzzCase {
	const turn = chance.below(body === undefined ? 2 : 5)
	if (turn === 0) return { ...made, path: withStrangeSegment(made, chance) }
	if (turn === 1) return { ...made, path: withStrangeQuery(made.path, chance) }
	const type =
		chance.below(15) === 0
			? chance.pick(['text/plain', 'application/xml', '', 'application/json;x'])
			: 'application/json'
	return { ...made, body: mutateBody(chance, body), headers: { ...made.headers, 'content-type': type } }
}

function withStrangeSegment({ operation, path }: FuzzCase, chance: Chance): string {
	if (!operation.path.includes('{')) return withStrangeQuery(path, chance)
	return operation.path.replaceAll(/\{\w+\}/g, () => chance.pick(strangeSegments))
}

function withStrangeQuery(path: string, chance: Chance): string {
	return `${path}${path.includes('?') ? '&' : '?'}${chance.pick(strangeQueries)}`
}
