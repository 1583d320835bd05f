import type { Tool } from '@modelcontextprotocol/server'
import { isChange, parameterTexts } from '@signalbox/contract'
import type { ChosenOperation } from './chosen-operations.ts'

/** A field of a tool's arguments: from where in the request its value goes. */
export interface Field {
	name: string
	/** The name that the operation gives it. */
	own: string
	place: 'path' | 'query' | 'body'
	schema: object
	required: boolean
}

/** A tool with the operation behind it. */
export interface PlatformTool {
	chosen: ChosenOperation
	fields: readonly Field[]
	/** As `tools/list` shows it. */
	definition: Tool
}

/** Makes the tool of an operation: names, texts and schemas are those of the contract. */
export function toolOf(chosen: ChosenOperation): PlatformTool {
	const { operation, hint } = chosen
	const fields = fieldsOf(chosen)
	const required = fields.filter((field) => field.required).map(({ name }) => name)
	const texts = [operation.summary, operation.description, hint].filter((text) => text !== undefined)
	return {
		chosen,
		fields,
		definition: {
			name: operation.id.replaceAll(/[.-]/g, '_'),
			title: operation.summary,
			description: texts.map((text) => (/[.!?]$/.test(text) ? text : `${text}.`)).join(' '),
			inputSchema: {
				type: 'object',
				properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])) as never,
				...(required.length > 0 && { required }),
				additionalProperties: false,
			},
			annotations: annotationsOf(chosen),
		},
	}
}

function annotationsOf({ operation, readOnly, destructive, openWorld }: ChosenOperation) {
	const reads = readOnly ?? !isChange(operation)
	return {
		readOnlyHint: reads,
		destructiveHint: !reads && (destructive ?? operation.method === 'DELETE'),
		idempotentHint: reads || operation.method !== 'POST',
		openWorldHint: openWorld ?? false,
	}
}

function fieldsOf({ operation, hidden = [] }: ChosenOperation): Field[] {
	const { params, query, body } = operation
	const names = argumentNames(operation.path)
	const shown = (field: Field) => field.place === 'path' || !hidden.includes(field.own)
	return [
		...fieldsIn(params, 'path', (own) => names.get(own) ?? own),
		...fieldsIn(query, 'query', (own) => own),
		...fieldsIn(body, 'body', (own) => own),
	].filter(shown)
}

function fieldsIn(
	schema: object | undefined,
	place: Field['place'],
	nameOf: (own: string) => string,
): Field[] {
	const { properties = {}, required = [] } = (schema ?? {}) as {
		properties?: Record<string, { description?: string; default?: unknown }>
		required?: string[]
	}
	return Object.entries(properties).map(([own, property]) => ({
		name: nameOf(own),
		own,
		place,
		schema: withText(own, property),
		required: required.includes(own) && property.default === undefined,
	}))
}

function withText(own: string, property: { description?: string }): object {
	const text = property.description ?? parameterTexts[own]
	return forModels(text === undefined ? property : { ...property, description: text })
}

/** Examples and the names of our types are for people who read documentation; models pay for them in every request. */
function forModels<T>(schema: T): T {
	const isForPeople = (key: string, value: unknown) =>
		key === 'examples' || (key === 'title' && typeof value === 'string')
	return JSON.parse(JSON.stringify(schema, (key, value) => (isForPeople(key, value) ? undefined : value)))
}

/** `/v1/mcp/servers/{id}/access/{agentId}` has `server_id` and `agent_id`: a bare `id` says too little to a model. */
function argumentNames(path: string): Map<string, string> {
	const matches = path.matchAll(/\/([\w-]+)\/\{(\w+)\}/g)
	return new Map(
		[...matches].map(([, segment = '', own = '']) => {
			const noun = segment.replace(/s$/, '').replaceAll('-', '_')
			return [
				own,
				own === 'id' ? `${noun}_id` : own.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
			]
		}),
	)
}
