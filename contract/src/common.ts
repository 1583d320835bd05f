import { type TOptional, type TProperties, type TSchema, Type } from 'typebox'

/** An object that refuses fields it does not name. */
export function Strict<T extends TProperties>(
	properties: T,
	options: { title?: string; description?: string; minProperties?: number } = {},
) {
	return Type.Object(properties, { additionalProperties: false, ...options })
}

/** UUIDv7 as text. Malformed ids answer like unknown ones (404), so the pattern is not checked on input. */
export const Id = Type.String({ description: 'UUIDv7', examples: ['0192f0c1-2d3e-7a4b-8c5d-6e7f80910213'] })

/** Bodies and queries may name an agent by either; a schema has one of them, and the server takes the other for it. */
export const otherAgentName = { agent: 'agent_uuid', agent_uuid: 'agent' } as const

export const Time = Type.String({
	format: 'date-time',
	description: 'RFC 3339, UTC, milliseconds',
	examples: ['2026-11-21T08:30:00.000Z'],
})

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const Name = Type.String({ minLength: 1, maxLength: 100 })

export const IdParams = Strict({ id: Id })

export const Pagination = Strict(
	{ page: Type.Integer(), limit: Type.Integer(), total: Type.Integer(), total_pages: Type.Integer() },
	{ title: 'Pagination' },
)

/** Query fields of every list of managed objects. */
export const pageQuery = {
	// Beyond 2^53 the number of objects before the page is none that a store takes.
	page: Type.Integer({ minimum: 1, maximum: 10_000_000, default: 1, description: 'Page number' }),
	limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Objects per page' }),
	order: Type.Union([Type.Literal('asc'), Type.Literal('desc')], {
		default: 'desc',
		description: 'Sort direction',
	}),
}

/** Text of one of the given values. */
export function OneOf<const T extends readonly string[]>(
	values: T,
	options: { default?: T[number]; description?: string } = {},
) {
	return Type.Unsafe<T[number]>(Type.String({ enum: [...values], ...options }))
}

/** The same fields, none of them required: for the read-only ones of a PATCH, which may be sent back unchanged. */
/** What is stored as it was asked for, but does not do what it seems to. */
export const Warnings = Type.Array(Type.String(), {
	description: 'Settings without effect, such as names that do not exist',
})

export function optional<T extends TProperties>(properties: T) {
	const entries = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])
	return Object.fromEntries(entries) as { [K in keyof T]: TOptional<T[K]> }
}
