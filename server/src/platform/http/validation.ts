import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import { Problem } from '../errors.ts'
import { takeAgentNames } from './agent-names.ts'
import { validateWhenUsed } from './compile-when-used.ts'

const shared = { removeAdditional: false, useDefaults: true, strict: true, allErrors: false } as const

/** Both know which schemas they have compiled, so a process that opens the API twice compiles those of the contract once. */
let validators: { bodies: Ajv2020; texts: Ajv2020 } | undefined

/** Bodies are taken as they are; texts of paths and queries become numbers and truth values where the schema says so. */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
	return ({ schema, httpPart }) =>
		validateWhenUsed(() => {
			validators ??= { bodies: createAjv(false), texts: createAjv('array') }
			return takeAgentNames(
				schema,
				(httpPart === 'body' ? validators.bodies : validators.texts).compile(schema),
			)
		})
}

function createAjv(coerceTypes: false | 'array'): Ajv2020 {
	const ajv = new Ajv2020({ ...shared, coerceTypes })
	formats.default(ajv)
	return ajv
}

/** The 400 of a failed validation, pointing at the field. */
export function toInvalidRequest(errors: readonly ErrorObject[], part: string): Problem {
	const fields = errors.map((error) => ({
		pointer: pointerOf(error),
		code: error.keyword,
		detail: detailOf(error),
	}))
	const first = fields[0]
	return new Problem(
		'invalid_request',
		`${part}${first?.pointer ?? ''}: ${first?.detail ?? 'is not valid'}.`,
		{ errors: fields },
	)
}

function pointerOf(error: ErrorObject): string {
	const name = error.params.additionalProperty ?? error.params.missingProperty
	return name === undefined
		? error.instancePath
		: `${error.instancePath}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function detailOf(error: ErrorObject): string {
	if (error.keyword === 'additionalProperties') return 'is not a known field'
	if (error.keyword === 'required') return 'is required'
	if (error.keyword === 'enum')
		return `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`
	return error.message ?? 'is not valid'
}

/** Refuses text that a store could not give back unchanged: NUL and lone surrogates. */
export function refuseBadText(value: unknown, pointer = ''): void {
	if (typeof value === 'string') {
		if (value.isWellFormed() && !value.includes('\0')) return
		const detail = 'contains a NUL character or half of a surrogate pair'
		throw new Problem('invalid_request', `${pointer}: ${detail}.`, {
			errors: [{ pointer, code: 'text', detail }],
		})
	}
	if (typeof value !== 'object' || value === null) return
	for (const [name, inner] of Object.entries(value)) {
		refuseBadText(name, pointer)
		refuseBadText(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
	}
}
