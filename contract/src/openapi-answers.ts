import { problemStatusesOf, takesIdempotencyKey, takesIfMatch, takesIfNoneMatch } from './answers.ts'
import type { createSchemaCollector, JsonSchema } from './openapi-schemas.ts'
import type { Operation } from './operation.ts'
import { problems } from './problems.ts'

type Collector = ReturnType<typeof createSchemaCollector>

const text = { type: 'string' }
const reference = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

/** The answers of an operation by status: success, 304 for reads, and every failure that it can answer. */
export function toResponses(
	operation: Operation,
	operations: readonly Operation[],
	collector: Collector,
): Record<string, JsonSchema> {
	const failures = problemStatusesOf(operation, operations)
	return {
		[operation.status]: toSuccess(operation, collector),
		...(takesIfNoneMatch(operation) && { 304: reference('responses', 'NotModified') }),
		...Object.fromEntries(
			failures.map((status) => [status, reference('responses', responseName(status))] as const),
		),
	}
}

function toSuccess(operation: Operation, collector: Collector): JsonSchema {
	const headers = Object.entries({
		'X-Request-Id': true,
		ETag: takesIfNoneMatch(operation),
		RateLimit: !operation.always,
		'RateLimit-Policy': !operation.always,
		'Idempotency-Replayed': takesIdempotencyKey(operation),
	})
	const present = headers.filter(([, applies]) => applies).map(([name]) => [name, reference('headers', name)])
	return {
		description: operation.status >= 300 ? 'Redirects' : operation.response ? 'Success' : 'Done; no body',
		headers: Object.fromEntries(present),
		...(operation.response && {
			content: { 'application/json': { schema: collector.project(operation.response) } },
		}),
	}
}

/** The conditional headers that an operation accepts. */
export function toHeaderParameters(operation: Operation, operations: readonly Operation[]): JsonSchema[] {
	const applying = Object.entries({
		IfNoneMatch: takesIfNoneMatch(operation),
		IfMatch: takesIfMatch(operation, operations),
		IdempotencyKey: takesIdempotencyKey(operation),
	})
	return applying.filter(([, applies]) => applies).map(([name]) => reference('parameters', name))
}

const header = (name: string, description: string, schema: JsonSchema = text): JsonSchema => ({
	name,
	in: 'header',
	required: false,
	description,
	schema,
})

export const headerParameters: Record<string, JsonSchema> = {
	IfNoneMatch: header('If-None-Match', 'An `ETag` from before: 304 without a body when nothing changed.'),
	IfMatch: header(
		'If-Match',
		'The `ETag` of the GET of this path: 412 when the object has changed since, and nothing is done.',
	),
	IdempotencyKey: header(
		'Idempotency-Key',
		'1 to 255 visible ASCII characters. The same request with the same key within 24 h is answered as the first time and done once.',
		{ type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
	),
}

export const responseHeaders: Record<string, JsonSchema> = {
	'X-Request-Id': { description: 'Of this request: the one it came with, or a new one', schema: text },
	ETag: { description: 'Strong; changes whenever the document does', schema: text },
	RateLimit: {
		description: 'What is left of the quota (`r`) and the seconds until it is full again (`t`)',
		schema: { ...text, examples: ['"default";r=998;t=1'] },
	},
	'RateLimit-Policy': {
		description: 'The quota (`q`) and its window in seconds (`w`)',
		schema: { ...text, examples: ['"default";q=1000;w=10'] },
	},
	'Idempotency-Replayed': {
		description: '`true` when the answer was stored before',
		schema: { ...text, enum: ['true'] },
	},
	'Retry-After': { description: 'Seconds to wait before a repetition', schema: { type: 'integer' } },
}

function responseName(status: number): string {
	return `Problem${status}`
}

/** One component for each status that some operation declares, with a description of its failures. */
export function problemResponses(operations: readonly Operation[]): Record<string, JsonSchema> {
	const declared = new Set(operations.flatMap((operation) => problemStatusesOf(operation, operations)))
	const byStatus = Map.groupBy(Object.entries(problems), ([, { status }]) => status)
	const failures = [...byStatus]
		.filter(([status]) => declared.has(status))
		.map(([status, codes]) => [responseName(status), problemResponse(codes)])
	return {
		NotModified: {
			description: 'Nothing changed since the ETag of If-None-Match; no body',
			headers: { ETag: reference('headers', 'ETag') },
		},
		...Object.fromEntries(failures),
	}
}

function problemResponse(codes: [string, (typeof problems)[keyof typeof problems]][]): JsonSchema {
	const [, { status }] = codes[0] as (typeof codes)[number]
	return {
		description: codes.map(([code, { title }]) => `\`${code}\`: ${title}`).join('; '),
		...((status === 429 || status === 503) && {
			headers: { 'Retry-After': reference('headers', 'Retry-After') },
		}),
		content: { 'application/problem+json': { schema: reference('schemas', 'Problem') } },
	}
}

export function problemSchema(): JsonSchema {
	const fieldError = {
		type: 'object',
		required: ['pointer', 'code', 'detail'],
		properties: { pointer: text, code: text, detail: text },
	}
	return {
		type: 'object',
		title: 'Problem',
		description: 'RFC 9457. `code` is stable; `/docs/errors` says what to do about each.',
		required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
		properties: {
			type: text,
			title: text,
			status: { type: 'integer' },
			detail: text,
			code: { type: 'string', enum: Object.keys(problems) },
			request_id: text,
			errors: { type: 'array', items: fieldError },
		},
		additionalProperties: false,
	}
}
