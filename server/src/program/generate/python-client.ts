import { PythonTypes, pascal, type Schema, snake } from './python-types.ts'

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

/** As much of an OpenAPI document as is read. */
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

/** The management client for Python: a method for each operation, and the types of what it takes and gives. */
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

/** Files and streams are for a client of HTTP. */
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

/** The body of the first success. */
function answerOf(responses: Readonly<Record<string, Body>>): Body | undefined {
	return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
}

function schemaType(body: Body | undefined, name: string, types: PythonTypes): string | null {
	const schema = body?.content?.['application/json']?.schema
	return schema ? types.typeOf(schema, name) : null
}
