import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { ErrorObject } from 'ajv/dist/2020.js'
import type { FastifySerializerCompiler } from 'fastify'

interface Validate {
	(data: unknown): boolean
	errors?: ErrorObject[] | null
}

/** Compiles a schema at the first value: a start pays only for the operations that are asked for. */
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

/** Writes answers by their schema, each compiled at its first answer. */
export function createSerializerCompiler(): FastifySerializerCompiler<unknown> {
	const compiler = SerializerSelector()()
	return (route) => {
		let write: ((value: unknown) => string) | undefined
		return (value) => {
			write ??= compiler({ ...route, httpStatus: route.httpStatus ?? '' })
			return write(value)
		}
	}
}
