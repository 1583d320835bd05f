import { notBlank, otherAgentName } from '@signalbox/contract'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { toIso } from '../clock.ts'
import { closestTo, Problem } from '../errors.ts'
import { JsonFault, JsonScan, requestLimits } from '../json/json-scan.ts'
import { compiledQuickly, type Validate, validateWhenUsed } from './compile-when-used.ts'

/**
 * A test checks that the contract's schemas are valid. Compiling the meta-schema here would delay the first request to a program
 * more than everything else that it does.
 */
const shared = {
	...{ removeAdditional: false, useDefaults: true, strict: true, allErrors: false },
	// `verbose` adds the refused value to an error.
	...{ validateSchema: false, verbose: true, ...compiledQuickly },
} as const

/** The validators cache compiled schemas, so a process that opens the API twice compiles those of the contract once. */
let validators: { bodies: Ajv2020; texts: Ajv2020 } | undefined

/** Bodies are not coerced; texts of paths and queries become numbers and booleans where the schema says so. */
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
	addFormats(ajv)
	return ajv
}

/** RFC 3339 also knows leap seconds, and an offset can lead out of the years 0 to 9999. Neither can be kept as a time. */
export function addFormats(ajv: Ajv2020): void {
	formats.default(ajv)
	const known = ajv.formats['date-time'] as { validate(text: string): boolean }
	const isKept = (text: string) => /^\d{4}-/.test(toIsoOrEmpty(Date.parse(text)))
	ajv.addFormat('date-time', { ...known, validate: (text: string) => known.validate(text) && isKept(text) })
}

function toIsoOrEmpty(atMs: number): string {
	return Number.isNaN(atMs) ? '' : toIso(atMs)
}

/** The 400 for a failed validation, pointing to the field. */
export function toInvalidRequest(errors: readonly ErrorObject[], part: string): Problem {
	const fields = errors.map((error) => ({
		pointer: pointerOf(error),
		code: error.keyword,
		detail: detailOf(error),
	}))
	const { pointer, detail } = fields[0] ?? { pointer: '', detail: 'is not valid' }
	const where =
		part === 'querystring' && pointer !== '' ? `query parameter ${pointer.slice(1)}` : `${part}${pointer}:`
	return new Problem('invalid_request', `${where} ${detail}.`, { errors: fields })
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
	if (error.keyword === 'minProperties') return 'names no field; at least one is needed'
	if (error.keyword === 'enum') return describeChoice(error.params.allowedValues as unknown[], error.data)
	if (error.keyword === 'pattern' && error.params.pattern === notBlank) return 'must not be blank'
	return error.message ?? 'is not valid'
}

/** Checks the nesting depth before parsing: a document that is too deep would overflow the stack of recursive code later. */
export function takeStrictJson(app: FastifyInstance): void {
	const build = app.getDefaultJsonParser('error', 'error')
	app.removeContentTypeParser(['text/plain', 'application/json'])
	app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
		// Many clients send a content type without a body. That counts as no body, which is an error only if one is required.
		if (body.length === 0) return done(null)
		const coding = request.headers['content-encoding']?.trim() ?? ''
		if (!/^(identity)?$/i.test(coding))
			return done(new Problem('unsupported_media_type', 'Send the body as it is, without Content-Encoding.'))
		try {
			JsonScan.read(body, { limits: requestLimits })
		} catch (error) {
			return done(error instanceof JsonFault ? new Problem('invalid_json', error.message) : (error as Error))
		}
		return build(request, body.toString(), done)
	})
}

/** Refuses a request without the body that its operation needs, before the body is compared with the schema. */
export function requireBody(schema: TSchema) {
	const fields = (schema as { required?: string[] }).required ?? []
	const named = fields.length > 0 ? ` object with ${fields.map((name) => `\`${name}\``).join(', ')}` : ''
	return async (request: FastifyRequest) => {
		if (request.body === undefined)
			throw new Problem(
				'invalid_json',
				`The body is empty. Send a JSON${named || ' document'}, as /openapi.json describes it.`,
			)
	}
}

const maxListed = 40

/** Nobody finds a mistyped name in a list of a hundred. */
function describeChoice(values: readonly unknown[], given: unknown): string {
	if (values.length <= maxListed) return `must be one of ${values.join(', ')}`
	const close = typeof given === 'string' ? closestTo(given.slice(0, 100), values.map(String)) : []
	const hint = close.length > 0 ? `did you mean ${close.join(' or ')}? The` : 'the'
	return `must be one of ${values.length} values; ${hint} API reference (/docs) lists all of them`
}

/** Refuses text that a store could not return unchanged: NUL and lone surrogates. */
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

interface Schema {
	type?: string
	properties?: Record<string, Schema>
	items?: Schema
	anyOf?: Schema[]
}

/** Where a schema names an agent: the field, and the nested schemas that have such fields. */
interface AgentFields {
	own: keyof typeof otherAgentName | null
	parts: Map<string, AgentFields>
	items: AgentFields | null
}

/**
 * Lets requests name an agent by either `agent` or `agent_uuid`: before validation the value is moved to the field that the schema
 * has. If both are given and differ, that is an error, because it is unclear which one was meant.
 */
function takeAgentNames(schema: object, validate: Validate): Validate {
	const fields = findAgentFields(schema as Schema)
	if (!fields) return validate
	const taking: Validate = (data) => {
		const errors: ErrorObject[] = []
		rename(data, fields, '', errors)
		const isValid = errors.length === 0 && validate(data)
		taking.errors = errors.length > 0 ? errors : (validate.errors ?? null)
		return isValid
	}
	return taking
}

function findAgentFields(schema: Schema): AgentFields | null {
	const forms = [schema, ...(schema.anyOf ?? [])]
	const properties = forms.flatMap((form) => Object.entries(form.properties ?? {}))
	const named = new Set(properties.filter(([, inner]) => isText(inner)).map(([name]) => name))
	const names = Object.keys(otherAgentName) as (keyof typeof otherAgentName)[]
	const own = names.find((name) => named.has(name) && !named.has(otherAgentName[name])) ?? null
	const found = properties.map(([name, inner]) => [name, findAgentFields(inner)] as const)
	const parts = new Map(found.filter((part): part is [string, AgentFields] => part[1] !== null))
	const items = forms.map((form) => form.items && findAgentFields(form.items)).find(Boolean) ?? null
	return own || items || parts.size > 0 ? { own, parts, items } : null
}

function isText({ type, anyOf = [] }: Schema): boolean {
	return type === 'string' || anyOf.some(isText)
}

function rename(value: unknown, fields: AgentFields, at: string, errors: ErrorObject[]): void {
	if (typeof value !== 'object' || value === null) return
	if (Array.isArray(value)) {
		if (fields.items)
			for (const [place, item] of value.entries()) rename(item, fields.items, `${at}/${place}`, errors)
		return
	}
	const given = value as Record<string, unknown>
	if (fields.own) renameField(given, fields.own, at, errors)
	for (const [name, part] of fields.parts) rename(given[name], part, `${at}/${name}`, errors)
}

function renameField(
	given: Record<string, unknown>,
	own: keyof typeof otherAgentName,
	at: string,
	errors: ErrorObject[],
): void {
	const other = otherAgentName[own]
	const alias = given[other]
	// Responses have an object under `agent`. It stays, so that the error names it.
	if (alias === undefined || (typeof alias === 'object' && !Array.isArray(alias) && alias !== null)) return
	if (given[own] !== undefined && JSON.stringify(given[own]) !== JSON.stringify(alias)) {
		const message = `names another agent than \`${own}\`; send only one of them`
		errors.push({ instancePath: `${at}/${other}`, keyword: 'alias', schemaPath: '', params: {}, message })
		return
	}
	given[own] = alias
	delete given[other]
}
