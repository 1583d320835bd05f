import { otherAgentName } from '@signalbox/contract'
import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Validate } from './compile-when-used.ts'

interface Schema {
	type?: string
	properties?: Record<string, Schema>
	items?: Schema
	anyOf?: Schema[]
}

/** Where values of a schema name an agent: by which field, and in which of their parts. */
interface AgentFields {
	own: keyof typeof otherAgentName | null
	parts: Map<string, AgentFields>
	items: AgentFields | null
}

/**
 * Lets requests name an agent by `agent` and by `agent_uuid` alike: the value gets the name of the schema before it is
 * validated. Two that differ are an error, for nobody could say which one was meant.
 */
export function takeAgentNames(schema: object, validate: Validate): Validate {
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
	// An object is what answers have under `agent`: it stays, to be refused by its name.
	if (alias === undefined || (typeof alias === 'object' && !Array.isArray(alias) && alias !== null)) return
	if (given[own] !== undefined && JSON.stringify(given[own]) !== JSON.stringify(alias)) {
		const message = `names another agent than \`${own}\`; send only one of them`
		errors.push({ instancePath: `${at}/${other}`, keyword: 'alias', schemaPath: '', params: {}, message })
		return
	}
	given[own] = alias
	delete given[other]
}
