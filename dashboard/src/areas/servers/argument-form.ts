/** One argument of a tool as a form field. */
export interface ArgumentField {
	name: string
	kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json'
	/** For `choice`. */
	options: readonly string[]
	required: boolean
	description: string
	/** The schema's default as text. */
	initial: string
}

interface Property {
	type?: unknown
	enum?: unknown
	description?: unknown
	default?: unknown
}

/** The fields for a tool's JSON Schema, or null if it is not a plain list of properties. */
export function argumentFields(schema: unknown): ArgumentField[] | null {
	if (typeof schema !== 'object' || schema === null) return null
	const { properties, required, anyOf, oneOf, allOf, $ref } = schema as Record<string, unknown>
	if (anyOf || oneOf || allOf || $ref) return null
	if (properties === undefined) return []
	if (typeof properties !== 'object' || properties === null) return null
	const needed = Array.isArray(required) ? required : []
	return Object.entries(properties).map(([name, property]) =>
		fieldOf(name, (property ?? {}) as Property, needed.includes(name)),
	)
}

function fieldOf(name: string, property: Property, required: boolean): ArgumentField {
	const { description, default: initial } = property
	return {
		name,
		required,
		kind: kindOf(property),
		options: Array.isArray(property.enum) ? property.enum.map(String) : [],
		description: typeof description === 'string' ? description : '',
		initial: initial === undefined ? '' : typeof initial === 'string' ? initial : JSON.stringify(initial),
	}
}

function kindOf({ type, enum: values }: Property): ArgumentField['kind'] {
	if (Array.isArray(values) && values.every((value) => typeof value === 'string')) return 'choice'
	if (type === 'string') return 'text'
	if (type === 'number' || type === 'integer' || type === 'boolean') return type
	return 'json'
}

export type Arguments = Record<string, unknown>

/** The arguments from the texts in the fields, or errors by name. Empty fields that are not required are left out. */
export function readArguments(
	fields: readonly ArgumentField[],
	texts: Record<string, string>,
): { arguments: Arguments } | { errors: Record<string, string> } {
	const found: Arguments = {}
	const errors: Record<string, string> = {}
	for (const field of fields) {
		const text = texts[field.name] ?? field.initial
		if (text === '' && !(field.required && field.kind === 'text')) {
			if (field.required) errors[field.name] = 'is required'
			continue
		}
		const value = readValue(field.kind, text)
		if (value === undefined) errors[field.name] = faults[field.kind] ?? 'is not valid'
		else found[field.name] = value
	}
	return Object.keys(errors).length > 0 ? { errors } : { arguments: found }
}

const faults: Partial<Record<ArgumentField['kind'], string>> = {
	number: 'is not a number',
	integer: 'is not a whole number',
	json: 'is not JSON',
}

function readValue(kind: ArgumentField['kind'], text: string): unknown {
	if (kind === 'text' || kind === 'choice') return text
	if (kind === 'boolean') return text === 'true'
	if (kind === 'json') return parseJson(text)
	const number = Number(text)
	if (!Number.isFinite(number) || (kind === 'integer' && !Number.isInteger(number))) return undefined
	return number
}

/** The value of a JSON text, or undefined. */
export function parseJson(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return undefined
	}
}
