/** As much of a JSON schema as the OpenAPI document uses. */
export interface Schema {
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
export class PythonTypes {
	readonly #classes = new Map<string, string>()
	readonly #taken: Set<string>

	/** Names of schemas that others refer to are kept for them. */
	constructor(names: readonly string[]) {
		this.#taken = new Set(names)
	}

	/** Adds a named schema. */
	define(name: string, schema: Schema): void {
		if (schema.properties) this.#addClass(name, schema)
		else this.#classes.set(name, `${name}: TypeAlias = "${this.typeOf(schema, `${name}Item`)}"`)
	}

	/** The type as it is written in an annotation; `name` is for what has none of its own. */
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

	/** All classes, a line each, in the order in which they were found. */
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

	/** In the form that takes every name of a field; types in quotes may come later. */
	#addClass(name: string, { properties = {}, required = [] }: Schema): string {
		const fields = Object.entries(properties).map(([field, schema]) => {
			const type = this.typeOf(schema, name + pascal(field))
			return `${JSON.stringify(field)}: ${JSON.stringify(required.includes(field) ? type : `NotRequired[${type}]`)}`
		})
		this.#classes.set(name, `${name} = TypedDict("${name}", {${fields.join(', ')}})`)
		return name
	}
}

export function pascal(text: string): string {
	return text.replaceAll(/(?:^|[^a-zA-Z0-9]+)([a-zA-Z0-9]?)/g, (_, letter: string) => letter.toUpperCase())
}

/** A name that Python takes, in its own style. */
export function snake(text: string): string {
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
