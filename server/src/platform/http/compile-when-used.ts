import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { ErrorObject } from 'ajv/dist/2020.js'
import type { FastifySerializerCompiler } from 'fastify'

export interface Validate {
	(data: unknown): boolean
	errors?: ErrorObject[] | null
}

/** Compiles a schema when it is first used, so that startup does not compile operations that nobody calls. */
export function validateWhenUsed(compile: () => Validate): Validate {
	let compiled: Validate | undefined
	const validate: Validate = (data) => {
		compiled ??= compile()
		const result = compiled(data)
		validate.errors = compiled.errors ?? null
		return result
	}
	return validate
}

type Write = (value: unknown) => string

/**
 * Keyed by schema. The contract's schemas are always the same objects, so a process that opens the API twice compiles them once.
 */
const writers = new WeakMap<object, Write>()

/**
 * Options of Ajv for schemas that are compiled when they are first used. Its own passes over the generated code double the time of the
 * first request to an operation, and V8 optimises what is used often.
 */
export const compiledQuickly = { meta: false, code: { optimize: false } } as const

interface Schema {
	type?: unknown
	$ref?: string
	anyOf?: Schema[]
}

/**
 * Replaces each `anyOf` of a type and null by the type with `nullable`. For a union, the serialiser compiles a validator of each member
 * and validates every value to find its member, which costs more than the rest of a response.
 */
export function foldNulls(schema: unknown): unknown {
	if (Array.isArray(schema)) return schema.map(foldNulls)
	if (typeof schema !== 'object' || schema === null) return schema
	const { anyOf, ...rest } = Object.fromEntries(
		Object.entries(schema).map(([name, inner]) => [name, foldNulls(inner)]),
	) as Schema
	if (!Array.isArray(anyOf)) return anyOf === undefined ? rest : { anyOf, ...rest }
	const [one, ...more] = anyOf.filter(({ type }) => type !== 'null')
	const isFolded = anyOf.length === 2 && more.length === 0 && typeof one?.type === 'string' && !one.anyOf
	return isFolded ? { ...one, ...rest, nullable: true } : { anyOf, ...rest }
}

/** Serialises responses by their schema, each compiled on first use. */
export function createSerializerCompiler(): FastifySerializerCompiler<object> {
	const compiler = SerializerSelector()({}, { ajv: compiledQuickly })
	return (route) => {
		const writerOf = () => {
			const write =
				writers.get(route.schema) ??
				compiler({ ...route, schema: foldNulls(route.schema), httpStatus: route.httpStatus ?? '' })
			writers.set(route.schema, write)
			return write
		}
		let write: Write | undefined
		return (value) => {
			write ??= writerOf()
			return write(value)
		}
	}
}
