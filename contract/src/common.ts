import { type TObjectOptions, type TOptional, type TProperties, type TSchema, Type } from 'typebox'

/** An object that refuses unknown fields. */
export function Strict<T extends TProperties>(
	properties: T,
	options: { title?: string; description?: string; minProperties?: number } = {},
) {
	return Type.Object(properties, { additionalProperties: false, ...options })
}

/** UUIDv7 as text. A malformed id has the same answer as an unknown one (404), so the pattern is not checked on input. */
export const Id = Type.String({ description: 'UUIDv7', examples: ['0192f0c1-2d3e-7a4b-8c5d-6e7f80910213'] })

/** Bodies and queries may name an agent by either field. A schema has one of them, and the server accepts the other as an alias. */
export const otherAgentName = { agent: 'agent_uuid', agent_uuid: 'agent' } as const

export const Time = Type.String({
	format: 'date-time',
	description: 'RFC 3339, UTC, milliseconds',
	examples: ['2026-11-21T08:30:00.000Z'],
})

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** The keys of a map: any text, in a form that regular expressions of other languages know too. */
export const anyKey = '^[\\s\\S]*$'

/** A map by any text. The pattern of `Type.Record` has no line breaks: such keys would be neither validated nor returned. */
export const MapOf = <T extends TSchema>(values: T, options: TObjectOptions = {}) =>
	Type.Record(Type.String({ pattern: anyKey }), values, options)

/** At least one character that is not blank: a name of blanks alone could not be seen or clicked. */
export const notBlank = '\\S'

export const Name = Type.String({ minLength: 1, maxLength: 100, pattern: notBlank })

export const IdParams = Strict({ id: Id })

export const Pagination = Strict(
	{ page: Type.Integer(), limit: Type.Integer(), total: Type.Integer(), total_pages: Type.Integer() },
	{ title: 'Pagination' },
)

/** Query parameters of every list of managed objects. */
export const pageQuery = {
	// Limited, because beyond 2^53 the offset of the page is not a number that a store accepts.
	page: Type.Integer({ minimum: 1, maximum: 10_000_000, default: 1, description: 'Page number' }),
	limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Objects per page' }),
	order: OneOf(['asc', 'desc'], { default: 'desc', description: 'Sort direction' }),
}

/** A text with one of the given values. */
export function OneOf<const T extends readonly string[]>(
	values: T,
	options: { default?: T[number]; description?: string } = {},
) {
	return Type.Unsafe<T[number]>(Type.String({ enum: [...values], ...options }))
}

/** Warnings about settings that are stored as requested but do not have the effect that they seem to have. */
export const Warnings = Type.Array(Type.String(), {
	description: 'Settings without effect, such as names that do not exist',
})

/** The same fields, none of them required: for the read-only ones of a PATCH, which may be sent back unchanged. */
export function optional<T extends TProperties>(properties: T) {
	const entries = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])
	return Object.fromEntries(entries) as { [K in keyof T]: TOptional<T[K]> }
}
