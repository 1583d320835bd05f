interface Parameter {
	$ref?: string
	name: string
	in: string
	required?: boolean
	schema?: Schema
}

interface Body {
	content?: Readonly<Record<string, { schema?: Schema }>>
	required?: boolean
}

interface Operation {
	operationId: string
	summary?: string
	parameters?: readonly Parameter[]
	requestBody?: Body
	responses?: Readonly<Record<string, Body>>
}

/** The parts of an OpenAPI document that we read. */
export interface ClientDocument {
	paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
	components: {
		schemas: Readonly<Record<string, unknown>>
		parameters?: Readonly<Record<string, unknown>>
	}
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
const head = `# Made from the contract by \`npm run generate\`.
# ruff: noqa
from __future__ import annotations

from typing import Any, Literal, cast

from typing_extensions import NotRequired, TypeAlias, TypedDict

from .transport import Transport, part
`

/** The management client for Python: a method for each operation, and the types of its input and output. */
export function renderPythonClient({ paths, components }: ClientDocument): string {
	const schemas = Object.entries(components.schemas) as [string, Schema][]
	const types = new PythonTypes(schemas.map(([name]) => name))
	for (const [name, schema] of schemas) types.define(name, schema)
	const parameters = (components.parameters ?? {}) as Record<string, Parameter>
	const operations = Object.entries(paths).flatMap(([path, item]) =>
		methods
			.filter((method) => item[method] && answersJson(item[method] as Operation))
			.map((method) => methodOf(path, method, item[method] as Operation, parameters, types)),
	)
	const client = `class Client(Transport):\n    """The platform API, an operation a method."""\n\n${operations.join('\n')}`
	return [head, `${types}\n\n`, `${client}\n`].join('\n')
}

/** Files and streams need a general HTTP client. */
function answersJson({ responses = {} }: Operation): boolean {
	const content = responses['200']?.content
	return content === undefined || Object.keys(content).join() === 'application/json'
}

function methodOf(
	path: string,
	method: string,
	{ operationId, summary = '', parameters = [], requestBody, responses = {} }: Operation,
	shared: Readonly<Record<string, Parameter>>,
	types: PythonTypes,
): string {
	const name = pascal(operationId)
	const all = parameters.map((each) =>
		each.$ref ? (shared[each.$ref.split('/').at(-1) as string] as Parameter) : each,
	)
	const of = (place: string) => all.filter((each) => each.in === place)
	const inPath = of('path').map((each) => `, ${snake(each.name)}: str`)
	const bodyType = schemaType(requestBody, `${name}Body`, types)
	const body = bodyType ? `, body: ${requestBody?.required ? bodyType : `${bodyType} | None = None`}` : ''
	const named = [...of('query'), ...of('header')].map((each) => optional(each, name, types))
	const answer = schemaType(answerOf(responses), `${name}Answer`, types)
	const query = dictionary(of('query'))
	const headers = dictionary(of('header'))
	const place = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => `{part(${snake(key)})}`)
	const given = [
		`"${method.toUpperCase()}", ${place === path ? '' : 'f'}"${place}"`,
		...(query ? [`query=${query}`] : []),
		...(bodyType ? ['body=body'] : []),
		...(headers ? [`headers=${headers}`] : []),
	]
	const call = `self._call(${given.join(', ')})`
	return [
		`    def ${snake(operationId)}(self${inPath.join('')}${body}${named.length > 0 ? `, *${named.join('')}` : ''}) -> ${answer ?? 'None'}:`,
		`        """${summary.replaceAll('"', "'")}."""`,
		`        ${answer ? `return cast("${answer}", ${call})` : call}`,
	].join('\n')
}

function optional({ name, required, schema }: Parameter, operation: string, types: PythonTypes): string {
	const type = types.typeOf(schema ?? {}, operation + pascal(name))
	return `, ${snake(name)}: ${required ? type : `${type} | None = None`}`
}

function dictionary(parameters: readonly Parameter[]): string | null {
	if (parameters.length === 0) return null
	return `{${parameters.map(({ name }) => `"${name}": ${snake(name)}`).join(', ')}}`
}

/** The body of the first success response. */
function answerOf(responses: Readonly<Record<string, Body>>): Body | undefined {
	return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
}

function schemaType(body: Body | undefined, name: string, types: PythonTypes): string | null {
	const schema = body?.content?.['application/json']?.schema
	return schema ? types.typeOf(schema, name) : null
}

/** The parts of JSON Schema that the OpenAPI document uses. */
interface Schema {
	$ref?: string
	type?: string | readonly string[]
	const?: unknown
	enum?: readonly unknown[]
	anyOf?: readonly Schema[]
	oneOf?: readonly Schema[]
	items?: Schema
	properties?: Readonly<Record<string, Schema>>
	required?: readonly string[]
	additionalProperties?: boolean | Schema
}

const plain: Readonly<Record<string, string>> = {
	string: 'str',
	integer: 'int',
	number: 'float',
	boolean: 'bool',
	null: 'None',
}
const keywords = new Set([
	'from',
	'class',
	'global',
	'import',
	'in',
	'is',
	'not',
	'or',
	'and',
	'if',
	'with',
	'as',
])

/** Collects the Python types of schemas: each object with named fields becomes a `TypedDict`. */
class PythonTypes {
	readonly #classes = new Map<string, string>()
	readonly #taken: Set<string>

	/** Reserves the names of schemas that others refer to. */
	constructor(names: readonly string[]) {
		this.#taken = new Set(names)
	}

	/** Adds a named schema. */
	define(name: string, schema: Schema): void {
		if (schema.properties) this.#addClass(name, schema)
		else this.#classes.set(name, `${name}: TypeAlias = "${this.typeOf(schema, `${name}Item`)}"`)
	}

	/** The type as an annotation; `name` is used for a schema without a name. */
	typeOf(schema: Schema, name: string): string {
		if (schema.$ref) return schema.$ref.split('/').at(-1) as string
		if ('const' in schema) return literal([schema.const])
		if (schema.enum) return literal(schema.enum)
		const choices = schema.anyOf ?? schema.oneOf
		if (choices) return union(choices.map((each) => this.typeOf(each, name)))
		if (Array.isArray(schema.type))
			return union(schema.type.map((type) => this.typeOf({ ...schema, type }, name)))
		if (schema.type === 'array') return `list[${this.typeOf(schema.items ?? {}, `${name}Item`)}]`
		if (schema.type === 'object' || schema.properties) return this.#objectType(schema, name)
		return plain[schema.type as string] ?? 'Any'
	}

	/** All classes, one line each, in the order in which they were found. */
	toString(): string {
		return [...this.#classes.values()].join('\n')
	}

	#objectType(schema: Schema, name: string): string {
		if (schema.properties && Object.keys(schema.properties).length > 0)
			return this.#addClass(this.#free(name), schema)
		const values = schema.additionalProperties
		return `dict[str, ${typeof values === 'object' ? this.typeOf(values, `${name}Value`) : 'Any'}]`
	}

	#free(name: string): string {
		for (let at = 1; ; at += 1) {
			const free = at === 1 ? name : `${name}${at}`
			if (this.#taken.has(free)) continue
			this.#taken.add(free)
			return free
		}
	}

	/** Uses the functional form, which allows any field name; quoted types may be defined later. */
	#addClass(name: string, { properties = {}, required = [] }: Schema): string {
		const fields = Object.entries(properties).map(([field, schema]) => {
			const type = this.typeOf(schema, name + pascal(field))
			return `${JSON.stringify(field)}: ${JSON.stringify(required.includes(field) ? type : `NotRequired[${type}]`)}`
		})
		this.#classes.set(name, `${name} = TypedDict("${name}", {${fields.join(', ')}})`)
		return name
	}
}

function pascal(text: string): string {
	return text.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9]?)/g, (_, letter: string) => letter.toUpperCase())
}

/** A valid Python name in snake case. */
function snake(text: string): string {
	const name = text.replaceAll(/[^a-zA-Z0-9]+/g, '_').toLowerCase()
	return keywords.has(name) ? `${name}_` : name
}

function union(types: readonly string[]): string {
	const all = [...new Set(types)]
	return all.includes('Any') ? 'Any' : all.join(' | ')
}

function literal(values: readonly unknown[]): string {
	const written = values.map((value) =>
		value === null ? 'None' : typeof value === 'boolean' ? (value ? 'True' : 'False') : `'${String(value)}'`,
	)
	return values.every((value) => typeof value === 'number')
		? `Literal[${values.join(', ')}]`
		: `Literal[${written.join(', ')}]`
}
