import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { linearRegExp } from './linear-regexp.ts'

/** Null when the value is valid, else a sentence about the first thing that is not. */
export type Validator = (value: unknown) => string | null

/** Formats that a constraint may name: each is checked in linear time. */
export const constraintFormats = ['date', 'date-time', 'time', 'email', 'ipv4', 'uuid', 'uri'] as const

let shared: Ajv2020 | null = null

/**
 * Compiles a schema that `checkConstraintSchema` has let through; throws when it is no schema. Inherited properties
 * never count as present, and nothing is changed in the value.
 */
export function compileConstraint(schema: unknown): Validator {
	shared ??= createAjv()
	const validate = shared.compile(schema as object | boolean)
	if (typeof schema === 'object') shared.removeSchema(schema as object)
	return (value) => (validate(value) ? null : describe(validate.errors?.[0]))
}

function createAjv(): Ajv2020 {
	const code = { regExp: linearRegExp }
	const ajv = new Ajv2020({ strict: false, ownProperties: true, addUsedSchema: false, logger: false, code })
	formats.default(ajv, { mode: 'fast', formats: [...constraintFormats] })
	return ajv
}

function describe(error: ErrorObject | undefined): string {
	if (!error) return 'the arguments are not valid'
	const extra = error.params.additionalProperty ?? error.params.unevaluatedProperty
	const where = `${error.instancePath}${extra === undefined ? '' : `/${String(extra)}`}` || 'the arguments'
	return `${where} ${error.message ?? 'is not valid'}`.slice(0, 300)
}
